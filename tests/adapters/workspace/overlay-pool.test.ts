/** OVERLAY-POOL without mounts: what is found again after a crash, and what is done where none succeeds. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createOverlayPool } from "../../../src/adapters/workspace/overlay-pool.ts";
import { attemptName } from "../../../src/adapters/workspace/workspace-name.ts";
import { createGit } from "../../../src/adapters/workspace/git.ts";
import type { OwnMounts } from "../../../src/host/own-mounts.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { attemptOf, created, testProject, workOf } from "./project.ts";

/** @param can whether a mount succeeds, by its number */
function mountsIn(folder: string, can: (count: number) => boolean): OwnMounts {
  let count = 0;
  return { folder, mount: () => Promise.resolve(can(++count)), unmount: () => Promise.resolve(true) };
}

test("OVERLAY-POOL-2: the changes of every attempt are found again, whatever its atom is called", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, unit: "binary" }), async (atom) => {
      const dir = temporaryFolder();
      const name = attemptName(attemptOf(atom), "r1");
      const [folder, lower] = [join(dir, "overlays/demo", name), join(dir, "overlays/demo/+check-shared-1-1")];
      for (const made of [join(folder, "upper"), lower]) mkdirSync(made, { recursive: true });
      writeFileSync(join(folder, "made.json"), JSON.stringify({ lower: basename(lower), base: "0".repeat(40) }));
      const notes: string[] = [];
      const pools = {
        git: createGit({ cwd: dir }),
        gitDir: dir,
        commonDir: dir,
        scratch: join(dir, "scratch"),
        dir,
        parent: join(dir, "worktrees"),
        aside: () => join(dir, "aside"),
        note: (text: string) => notes.push(text),
      };
      const mounts = mountsIn(join(dir, "mounts"), () => true);
      const left = await createOverlayPool(pools, { loop: "demo", mounts }).open();
      expect(left.map(({ worktree }) => worktree.name)).toEqual([name]);
      await createOverlayPool(pools, { loop: "demo" }).open();
      expect(notes.join("")).toContain(JSON.stringify(folder).slice(1, -1));
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["never", () => false],
  ["only once", (count: number) => count === 1],
] as const)(
  "OVERLAY-POOL-3: where mounting succeeds %s the folders are plain ones, and all is integrated",
  async (_, can) => {
    const project = await testProject({ "a.txt": "a\n", "lib/b.txt": "b\n" });
    // Another disk than the project's, where there is one.
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : temporaryFolder(), "aot-mounts-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const workspace = await created({ ...project.options(), mounts: mountsIn(folder, can), shares_checkout: true });
    await workspace.open();
    for (const atom of ["A1", "A2"]) {
      const { dir } = await workspace.start(attemptOf(atom));
      expect(dir).toContain(".claude/worktrees");
      expect(readdirSync(dir).filter((name) => !name.startsWith("."))).toEqual(
        atom === "A1" ? ["a.txt", "lib"] : ["A1", "a.txt", "lib"],
      );
      writeFileSync(join(dir, atom), "x");
      expect(await workspace.integrate(attemptOf(atom), workOf(atom))).toMatchObject({
        kind: "integrated",
        files: [atom],
      });
    }
    await workspace.close();
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(join(project.root, ".claude/aot-loop/overlays"))).toBe(false);
    expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  },
);

test("the index of an attempt is younger, by whole seconds, than the files that attempts share: git reads none of them again", async () => {
  const project = await testProject({ "a.txt": "a\n", "lib/b.txt": "b\n" });
  const workspace = await created({
    ...project.options(),
    mounts: mountsIn(temporaryFolder(), () => true),
    shares_checkout: true,
  });
  await workspace.open();
  const { dir } = await workspace.start(attemptOf("A1"));
  const overlays = join(project.root, ".claude/aot-loop/overlays/demo");
  const shared = readdirSync(overlays).find((name) => /shared-[0-9a-f]+$/.test(name)) ?? "";
  const secondOf = (file: string): number => Math.floor(statSync(file).mtimeMs / 1_000);
  const index = secondOf(join(project.root, ".git/worktrees", basename(dir), "index"));
  for (const file of ["a.txt", "lib/b.txt"]) expect(secondOf(join(overlays, shared, file))).toBeLessThan(index);
});
