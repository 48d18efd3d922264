/**
 * The disk of a project full at different moments, and read-only (SPEC sections 2 and 9): the old file stands, the run says
 * what to do and exits 1, and once there is space it comes to the same end. Needs Linux and root: it mounts a small tmpfs.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canMount, smallDisk } from "../support/small-disk.ts";
import { undisturbed } from "./campaign.ts";
import { age, makeTemplate, remainsOf, sceneFrom, whatIsWrong, type End, type Scene } from "./scene.ts";

const why = canMount ? "" : " (not here: mounting a file system needs Linux and root)";

const COMPLETE = process.env["MODE"] === "complete";
/** Kilobytes that are free when a run starts. */
const SIZES = [0, 8, 24, 48, 96, 160, 240, 400, 700];

/** A scene on a disk of its own. */
const sceneOnDisk = (template: string, size: string): Scene => sceneFrom(template, smallDisk(size));

/** Fills the disk of the scene but for `left` bytes. */
function fill(scene: Scene, left: number): void {
  const { bavail, bsize } = statfsSync(scene.top);
  writeFileSync(join(scene.top, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - left)));
}

function template(): string {
  const top = makeTemplate();
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  return top;
}

/** As `whatIsWrong`, with the run before counted as a crash, and the end compared. */
async function expectSameEnd(scene: Scene, expected: End, before: ReturnType<typeof remainsOf>): Promise<void> {
  age(scene);
  const ran = await scene.run();
  expect(await whatIsWrong(scene, [before], 20)).toEqual([]);
  expect(scene.end(ran)).toEqual(expected);
}

test.skipIf(!canMount)(
  `SPEC 2, 9: a disk that is full at any moment of a run stops it, and it goes on once there is space${why}`,
  async () => {
    const top = template();
    const { end } = await undisturbed(top);
    const sizes = (COMPLETE ? SIZES : SIZES.filter((_, i) => i % 3 === 0)).map((kilobytes) => kilobytes * 1024);
    let stopped = 0;
    for (const left of sizes) {
      const scene = sceneOnDisk(top, "12m");
      fill(scene, left);
      const old = readFileSync(scene.stateFile, "utf8");
      const ran = await scene.run();
      const remains = remainsOf(scene);
      if (ran.code !== 0) {
        stopped++;
        expect(ran.code, `${left} bytes: ${ran.out}${ran.err}`).toBe(1);
        expect(ran.out, "the next step is named").toMatch(/[Ff]ree some|[Mm]ake room/);
        expect(ran.err, "no stack trace for a full disk").not.toMatch(/^\s+at /m);
        if (left === 0) expect(readFileSync(scene.stateFile, "utf8")).toBe(old);
      }
      rmSync(join(scene.top, "ballast"));
      if (scene.state().control.status === "completed") continue;
      await expectSameEnd(scene, end, remains);
    }
    console.log(`${sizes.length} of ${SIZES.length} sizes tried, the disk stopped ${stopped} runs`);
    expect(stopped).toBeGreaterThan(sizes.length / 3);
  },
  300_000,
);

test.skipIf(!canMount)(
  `SPEC 2, 9: on a read-only disk nothing is changed, and the next step is named${why}`,
  async () => {
    const top = template();
    const { end } = await undisturbed(top);
    const scene = sceneOnDisk(top, "12m");
    const old = readFileSync(scene.stateFile, "utf8");
    const remount = (how: string): void => {
      expect(spawnSync("mount", ["-o", `remount,${how}`, dirname(scene.top)]).status).toBe(0);
    };
    remount("ro");
    const commands = [
      ["atom", "update", "A", "resolved"],
      ["stop", "later"],
      ["redirect", "limit", "max_iterations", "50"],
    ];
    for (const ran of [
      await scene.run(),
      ...(await Promise.all(commands.map((command) => scene.aot([...command, "--json"])))),
    ]) {
      expect([1, 2], `${ran.out}${ran.err}`).toContain(ran.code);
      expect(ran.out).toMatch(/read-only|EROFS/);
      expect(ran.err).not.toMatch(/^\s+at /m);
    }
    expect(readFileSync(scene.stateFile, "utf8")).toBe(old);
    // A reader needs no right to write.
    expect((await scene.aot(["state", "show", "--json"])).code).toBe(0);
    remount("rw");
    await expectSameEnd(scene, end, remainsOf(scene));
  },
);

test.skipIf(!canMount)(
  `SPEC 2, 9: a disk that becomes read-only under a running run stops it, and it goes on later${why}`,
  async () => {
    const top = template();
    const { end } = await undisturbed(top);
    for (const nth of COMPLETE ? [4, 14, 30] : [14]) {
      const scene = sceneOnDisk(top, "12m");
      // In the midst of a run: dead, and its disk remounted.
      await scene.run({ CRASH_AT: `before|${nth}|write journal`, CRASH_HIT: join(scene.top, "hit") });
      const remains = remainsOf(scene);
      mkdirSync(join(scene.top, "x"));
      expect(spawnSync("mount", ["-o", "remount,ro", dirname(scene.top)]).status).toBe(0);
      const ran = await scene.run();
      expect(ran.code, `${ran.out}${ran.err}`).toBe(1);
      expect(ran.out).toMatch(/read-only|EROFS/);
      expect(spawnSync("mount", ["-o", "remount,rw", dirname(scene.top)]).status).toBe(0);
      await expectSameEnd(scene, end, remains);
    }
  },
  120_000,
);
