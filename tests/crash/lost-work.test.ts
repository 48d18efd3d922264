/**
 * Taking out what a choice had integrated is one commit and one line of the journal: a run that dies between the two
 * leaves atoms that the state calls resolved and whose work is gone (SPEC sections 7 and 8).
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reportedOf, tryAll, undisturbed, type Point } from "./campaign.ts";
import { makeTemplate, sceneAt, sceneFrom, type Scene } from "./scene.ts";

const linux = process.platform === "linux";
const UPDATE = "git update-ref";

/** How many there are before the first of another kind, which has to be there. */
function updatesBefore(tally: readonly string[], kind: string): number {
  expect(tally).toContain(kind);
  return tally.slice(0, tally.indexOf(kind)).filter((one) => one === UPDATE).length;
}

/** One worker: the commands of a run come in the same order every time. */
function template(): string {
  const top = makeTemplate({ constraints: { max_parallel_agents: 1 }, first: ["X"] });
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  return top;
}

test.skipIf(!linux)("SPEC 8: a run that dies behind a revert's commit does again what was lost with it", async () => {
  const top = template();
  const { tally, end } = await undisturbed(top);
  // The first to merge is the revert; the failed attempt's work is kept beside it.
  const before = updatesBefore(tally, "git merge-tree");
  const points = [before, before + 1, before + 2].map((nth): Point => ({ kind: UPDATE, nth, moment: "after" }));
  const tried = await tryAll(
    top,
    points.map((point) => [point]),
    end,
  );
  expect(reportedOf(tried)).toEqual([]);
  expect(tried.map(({ killed }) => killed)).toEqual([1, 1, 1]);
});

test.skipIf(!linux)("SPEC 8: the same for a revert that a redirect of the stopped loop left to the run", async () => {
  const top = template();
  const scene = sceneAt(top);
  // P1, then X based on it; then a person chooses the other way.
  expect(await scene.run({}, "--max-iterations", "2")).toMatchObject({ code: 12 });
  expect(scene.state().control).toMatchObject({ outcome: "max_iterations" });
  expect(scene.integrated()).toContain("x");
  expect(await scene.aot(["redirect", "choose", "g", "Q", "--reason", "better"])).toMatchObject({ code: 0 });
  const { tally, end } = await undisturbed(top);
  expect(end).toMatchObject({ exit_code: 0, control: { outcome: "verified" } });
  const first = updatesBefore(tally, "git read-tree");
  const moments = ["before", "after"] as const;
  const points = Array.from({ length: first }, (_, i) =>
    moments.map((moment): Point => ({ kind: UPDATE, nth: i + 1, moment })),
  ).flat();
  const marks = tally.filter((kind) => kind === "write journal").length;
  for (let nth = 1; nth <= Math.min(marks, 4); nth++) points.push({ kind: "write journal", nth, moment: "before" });
  const tried = await tryAll(
    top,
    points.map((point) => [point]),
    end,
  );
  expect(reportedOf(tried)).toEqual([]);
  expect(tried.map(({ killed }) => killed)).toEqual(points.map(() => 1));
});

test.skipIf(!linux)("SPEC 8: a redirect that dies anywhere is made with its revert, or not at all", async () => {
  const top = template();
  expect(await sceneAt(top).run({}, "--max-iterations", "2")).toMatchObject({ code: 12 });
  const redirect = ["redirect", "choose", "g", "Q", "--reason", "better"];
  const sceneOf = (): Scene => {
    const scene = sceneFrom(top);
    onTestFinished(() => scene.remove());
    return scene;
  };
  const plain = sceneOf();
  const left = plain.end(await plain.run());
  const chosen = sceneOf();
  const tally = join(chosen.top, "tally");
  expect(await chosen.aot(redirect, { CRASH_TALLY: tally })).toMatchObject({ code: 0 });
  const made = chosen.end(await chosen.run());
  expect(made).not.toEqual(left);
  const kinds = readFileSync(tally, "utf8").split("\n");
  const at = (kind: string): number => kinds.indexOf(kind);
  expect(at("rename state"), "the journal has it before the state").toBeGreaterThan(at("write journal"));
  for (const point of ["after|1|write journal", "before|1|rename state", "after|1|rename state"]) {
    const scene = sceneOf();
    expect(await scene.aot(redirect, { CRASH_AT: point }), point).toMatchObject({ code: null });
    const isMade = scene.state().corrections.length > 0;
    expect(isMade, point).toBe(point.startsWith("after|1|rename"));
    expect(scene.end(await scene.run()), point).toEqual(isMade ? made : left);
  }
});
