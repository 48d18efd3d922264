/** What is handed over is what was verified: the verdict is taken on the commits that the person gets (SPEC section 6). */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setStage, writeFiles, type RunOverrides, type Stage } from "./stage.ts";

/** Passes where the work is done and the last commit's message has this. */
const checkFor = (words: string): string => `
const { execFileSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const said = execFileSync("git", ["log", "-1", "--format=%B"], { encoding: "utf8" });
process.exit(existsSync("made.txt") && /${words}/m.test(said) ? 0 : 1);
`;

function stageFor(words: string): Stage {
  return setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 1 },
    files: { "check.cjs": checkFor(words) },
    objective: { base_case: { type: "command", value: `"${process.execPath}" check.cjs` } },
    script: { A1: [{ write: { "made.txt": "1" }, answer: { success: true, summary: "done", artifacts: [] } }] },
  });
}

function hook(stage: Stage, name: string, lines: string): void {
  writeFiles(stage.root, { [`.git/hooks/${name}`]: `#!/bin/sh\n${lines}\n` });
  chmodSync(join(stage.root, ".git", "hooks", name), 0o755);
}

const SQUASH: RunOverrides = { commits: { squash: true, hooks: true } };
const SUBJECT: RunOverrides = { commits: { squash: false, hooks: true, subject: "feat: {what}" } };

test.each([
  ["the loop's own trailers, of a squashed commit", "^Aot-Atom:", SQUASH, false],
  ["the squashed commit's own", "^Aot-Attempts: A1", SQUASH, true],
  ["a subject that a person wants", "^feat: ", SUBJECT, true],
  ["the loop's subject where a person wants another", "^a goal", SUBJECT, false],
])("SPEC 6: a check that looks for %s", async (_, words, how, holds) => {
  const stage = stageFor(words);
  const end = await stage.run(how);
  expect(end).toMatchObject({ exit_code: holds ? 0 : 12 });
  expect(stage.read("made.txt")).toBe(holds ? "1" : null);
});

test("SPEC 6, 16: where the person's hook wants another message, a check that reads it is asked again; each hook runs once", async () => {
  const stage = stageFor("^Aot-Atom:");
  const ran = join(stage.root, "..", "ran");
  hook(stage, "pre-commit", `echo >> '${ran}'`);
  hook(stage, "commit-msg", `echo >> '${ran}'; grep -v ^Aot- "$1" > said; cat said > "$1"; rm said`);
  const refused = await stage.run();
  expect(refused).toMatchObject({ exit_code: 12 });
  expect(stage.read("../ran")).toBe("\n\n");
  const other = stageFor("^a goal");
  hook(other, "commit-msg", `echo 'Ticket: X-1' >> "$1"`);
  expect(await other.run()).toMatchObject({ exit_code: 0 });
  expect(other.git("log", "-1", "--format=%B")).toMatch(/Ticket: X-1$/);
});
