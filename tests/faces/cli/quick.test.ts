/** SPEC 10: `aot atom update` by way of its small file says and does what it says and does without it. */
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { quick } from "../../../src/faces/cli/quick.ts";
import { aotPath, cleanEnv } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { LOOP } from "../../support/loop-fixture.ts";

/** A copy of the built command. `change`: what becomes of its small file. */
function copied(change: (image: string) => void): string {
  const folder = temporaryFolder();
  cpSync(dirname(aotPath()), folder, { recursive: true });
  change(join(folder, "cli", "quick.image"));
  return join(folder, "bin.cjs");
}

const whole = copied((image) => rmSync(image));

interface Told {
  readonly answer: readonly unknown[];
  readonly state: string;
  readonly journal: string;
  /** The outline that was kept was used: it is another one. */
  readonly kept: boolean;
}

/** A call on a loop whose outline is kept: A1 was just begun. @param beforehand the command that began it */
function call(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  beforehand = program,
  stdout: "pipe" | number = "pipe",
): Told {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, ".claude", "aot-loop"), { recursive: true });
  const file = join(cwd, ".claude", "aot-loop-state.md");
  writeFileSync(file, LOOP);
  const run = (one: string, words: readonly string[], more = {}, out: "pipe" | number = "pipe") =>
    spawnSync(process.execPath, [one, ...words], {
      cwd,
      env: cleanEnv(more),
      encoding: "utf8",
      timeout: 60_000,
      stdio: ["ignore", out, "pipe"],
    });
  expect(run(beforehand, ["atom", "update", "A1", "in_progress"]).status).toBe(0);
  const outline = join(cwd, ".claude", "aot-loop", "cache", "outline");
  const before = readFileSync(outline);
  const { status, stdout: said, stderr } = run(program, args, env, stdout);
  const journal = join(cwd, ".claude", "aot-loop", "journal.jsonl");
  return {
    answer: [status, (said ?? "").replaceAll(cwd, "CWD"), stderr.replaceAll(cwd, "CWD")],
    state: readFileSync(file, "utf8"),
    journal: existsSync(journal) ? readFileSync(journal, "utf8").replaceAll(/"time":"[^"]*"/g, "") : "",
    kept: !before.equals(readFileSync(outline)),
  };
}

test.each([
  [],
  ["atom"],
  ["state", "show"],
  ["atom", "update"],
  ["atom", "update", "A1"],
  ["--json", "atom", "update", "A1", "resolved"],
  ["atom", "--json", "update", "A1", "resolved"],
  ["atom", "update", "--json", "A1", "resolved"],
  ["atom", "update", "A1", "resolved", "now"],
  ["atom", "update", "A1", "resolved", "--state-file"],
  ["atom", "update", "-1", "resolved"],
  ["atom", "update", "A1", "resolved", "--", "--json"],
])("what is not just an update is left to the frame: %j", (...argv) => {
  const told: unknown[] = [];
  const io = {
    cwd: temporaryFolder(),
    env: {},
    out: (text: string | Uint8Array) => told.push(text),
    err: (text: string) => told.push(text),
    isTerminal: () => Promise.resolve(false),
  };
  expect([quick(argv, io), told]).toEqual([null, []]);
});

const STATE = join(".claude", "aot-loop-state.md");
const CALLS: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>?])[] = [
  ["in words", ["atom", "update", "A1", "resolved"]],
  ["as a document", ["atom", "update", "A1", "resolved", "--json"]],
  ["back to pending", ["atom", "update", "A1", "pending", "--json"]],
  ["with the state file", ["atom", "update", "A1", "resolved", "--json", "--state-file", STATE]],
  ["with the state file in one word", ["atom", "update", "A1", "resolved", `--state-file=${STATE}`]],
  ["with the state file in the environment", ["atom", "update", "A1", "resolved"], { AOT_STATE_FILE: STATE }],
  ["with a state file that is not there", ["atom", "update", "A1", "resolved", "--state-file", "no.md"]],
  ["with an empty state file", ["atom", "update", "A1", "resolved", "--state-file", ""]],
  ["nothing changes", ["atom", "update", "A1", "in_progress", "--json"]],
  ["refused", ["atom", "update", "A3", "pending", "--json"]],
  ["an atom that is not there", ["atom", "update", "A99", "resolved"]],
  ["an alternative", ["atom", "update", "A4", "resolved", "--json"]],
  ["an unknown status", ["atom", "update", "A1", "done"]],
  ["an unknown flag", ["atom", "update", "A1", "resolved", "--force"]],
  ["help", ["atom", "update", "A1", "resolved", "--help"]],
  ["a flag twice", ["atom", "update", "A1", "resolved", "--json", "--json"]],
  ["with loops above that cannot be read", ["atom", "update", "A1", "resolved"], { AOT_LOOPS: "not a list" }],
];

for (const [name, args, env] of CALLS)
  test(`the same answer, file and journal: ${name}`, () => {
    expect(call(aotPath(), args, env)).toEqual(call(whole, args, env));
  });

test.each([
  ["empty", (image: string) => writeFileSync(image, "")],
  ["something else", (image: string) => writeFileSync(image, Buffer.alloc(4_000, 7))],
  ["cut off", (image: string) => writeFileSync(image, readFileSync(image).subarray(0, 1_000))],
])("the small file is %s: the large one answers", (_, change) => {
  const args = ["atom", "update", "A1", "resolved", "--json"];
  expect(call(copied(change), args)).toEqual(call(aotPath(), args));
});

test("the small file answers alone", () => {
  const alone = copied((image) => {
    for (const name of ["hot.image", "hot.cjs"]) rmSync(join(dirname(image), name));
  });
  const args = ["atom", "update", "A1", "resolved", "--json"];
  expect(call(alone, args, {}, aotPath())).toEqual(call(aotPath(), args));
});

test.skipIf(!existsSync("/dev/full")).each([[[]], [["--json"]]])(
  "the answer finds no room: told alike, without a stack, and the update is made %j",
  (flags) => {
    const full = openSync("/dev/full", "w");
    try {
      const args = ["atom", "update", "A1", "resolved", ...flags];
      const told = call(aotPath(), args, {}, aotPath(), full);
      expect(told).toEqual(call(whole, args, {}, whole, full));
      expect(told.answer).toEqual([70, "", expect.stringMatching(/^aot: unexpected: ENOSPC.*\n.*\n$/)]);
      expect(told.kept).toBe(true);
    } finally {
      closeSync(full);
    }
  },
);
