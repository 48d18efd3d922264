/** Failures by hand, and what a run that cannot start leaves behind (SPEC sections 7, 8 and 9). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createStateText } from "../../src/statefile/create.ts";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { stateOf, type Sketch } from "../support/loops.ts";

function loop(sketch: Sketch): string {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "loop.md"), createStateText(stateOf(sketch), "a prompt"));
  return dir;
}

const flags = ["--state-file", "loop.md"];
const RUN = ["run", "--agent", "claude", ...flags];

test("SPEC 7: a failure by hand counts towards max_attempts_per_atom, and its reason is kept for the next attempt", async () => {
  const cwd = loop({
    atoms: [{ id: "A1" }, { id: "A2" }, { id: "B" }],
    groups: [{ name: "g", choices: ["A1", "B"] }],
    splits: [["A1", ["A2"]]],
    constraints: { max_attempts_per_atom: 2 },
  });
  const selected = async (): Promise<unknown> =>
    (await aotJson(["state", "show", ...flags], { cwd })).json["or_groups"];
  expect(await aot(["atom", "fail", "A2", "--reason", "it is red", ...flags], { cwd })).toMatchObject({ code: 0 });
  expect(await selected()).toMatchObject({ g: { selected: "A1", failed: [] } });
  expect((await aot(["logs", ...flags], { cwd })).out).toContain("it is red");
  expect(await aot(["atom", "fail", "A2", "--reason", "again", ...flags], { cwd })).toMatchObject({ code: 0 });
  expect(await selected()).toMatchObject({ g: { selected: "B", failed: ["A1"] } });
});

test("SPEC 2, 9: a completed loop that cannot be begun again for want of an agent stays completed", async () => {
  const cwd = loop({ atoms: [{ id: "A1", status: "resolved" }] });
  expect((await aot(["state", "set-status", "completed", ...flags], { cwd })).code).toBe(0);
  const before = readFileSync(join(cwd, "loop.md"), "utf8");
  const env = { PATH: temporaryFolder() };
  const again = [...RUN, "--restart"];
  expect(await aot(again, { cwd, env })).toMatchObject({ code: 17, err: expect.stringContaining("claude") });
  expect(readFileSync(join(cwd, "loop.md"), "utf8")).toBe(before);
  expect(before).toContain("status: completed");
});
