/** What failures teach: they reach the prompts of whoever comes next (SPEC sections 6 and 7). */
import { expect, test } from "vitest";
import { setStage, type Act, type RunOverrides, type Script, type Stage } from "./stage.ts";

/** A check with a report of which the last line says nothing. */
const CHECK = `node -e "if (require('fs').existsSync('right')) process.exit(0); console.log('not ok 1 - reads a number'); console.log('  expected MARK to be 2'); for (let i = 0; i < 200; i++) console.log('ok ' + i); console.log('# duration_ms 9'); process.exit(1)"`;
const leaf = { item: "tests pass", check: { type: "command" as const, value: CHECK } };

function failing(script: Script, others: readonly { readonly id: string }[] = []): Stage {
  return setStage({
    atoms: [{ id: "A1" }, ...others],
    constraints: { max_iterations: 9, max_stall_count: 8, max_attempts_per_atom: 5 },
    objective: { base_case: { checklist: [leaf] } },
    script,
  });
}
const wrong = (summary: string, file: string): Act => ({
  write: { [file]: "1" },
  answer: { success: true, summary, artifacts: [file] },
});

test("SPEC 6, 7: a claim that was wrong is tried again with the evidence, and leaves no commit in what is handed over", async () => {
  const stage = failing({ "A1.1": [wrong("wrote the lexer", "a")], "A1.2": [{ write: { right: "1" } }] });
  const base = stage.git("rev-parse", "HEAD");
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const { prompt } = stage.asked("A1.2");
  for (const part of ["- an attempt: claimed success", "expected MARK to be 2", "It had reported: wrote the lexer"])
    expect(prompt).toContain(part);
  expect(prompt).toMatch(/Its work is commit [0-9a-f]{12}, not in this folder: `git show`/);
  expect(stage.git("log", "--format=%s", `${base}..${stage.branch()}`).split("\n")).toHaveLength(1);
  expect(stage.journal().some(({ event }) => event === "replanned")).toBe(false);
});

test("SPEC 6: without a planner the repair begins with the evidence, what was done, and what earlier repairs came to", async () => {
  const stage = failing({
    A1: [wrong("wrote the lexer", "a")],
    A2: [wrong("changed a digit", "b")],
    "A3.1": [{ write: { c: "1" }, answer: { success: false, summary: "no such digit", artifacts: [] } }],
    "A3.2": [{ write: { right: "1" } }],
  });
  expect(await stage.run({ planner: "none" })).toMatchObject({ exit_code: 0 });
  const { prompt } = stage.asked("A2.1");
  for (const part of [
    "not ok 1 - reads a number",
    "expected MARK to be 2",
    "exit code 1",
    "A1: wrote the lexer",
    "attempt 1 of at most 5",
  ])
    expect(prompt).toContain(part);
  const again = stage.asked("A3.1").prompt;
  expect(again).toContain(
    "an attempt at A2 (Make pass: tests pass): it reported success, and the check failed all the same",
  );
  const last = stage.asked("A3.2").prompt;
  for (const part of ["expected MARK to be 2", "- an attempt: no such digit", "attempt 2 of at most 5"])
    expect(last).toContain(part);
  expect(last).toMatch(/Its work is commit [0-9a-f]{12}, not in this folder: `git show`/);
});

test.each([
  [[], true],
  [[{ id: "B1" }], false],
])("SPEC 7: checks run on work without success where nothing else is open: beside %j %s", async (others, isSaid) => {
  const half = { write: { half: "1" }, answer: { success: false, summary: "half of it", artifacts: ["half"] } };
  const again = { flag: "again", write: { right: "1" } };
  const stage = failing({ "A1.1": [half], "A1.2": [again], B1: [{ await: "again" }] }, others);
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(/- an attempt: half of it[^]*MARK/.test(stage.asked("A1.2").prompt)).toBe(isSaid);
});

test("SPEC 6: a planner learns what its last plan came to, and which attempts failed", async () => {
  const stage = failing({
    A1: [wrong("wrote the lexer", "a")],
    "A2.1": [{ answer: { success: false, summary: "the table is too large", artifacts: [] } }],
    "A2.2": [wrong("wrote a table", "b")],
    A3: [{ write: { right: "1" } }],
    planner: [{ answer: { atoms: [{ description: "a table" }], reason: "because of a table" } }],
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const added = stage.journal().filter((line) => line.event === "atoms_added");
  expect(added).toMatchObject([{ failing: ["tests pass"] }, { failing: ["tests pass"] }]);
  const call = (of: number): string => `planner.${stage.journal()[0]?.run ?? ""}.${of}`.replaceAll(/[^\w.-]/g, "_");
  const prompts = [1, 2, 3, 4, 5].flatMap((of) => {
    try {
      return [stage.asked(call(of)).prompt];
    } catch {
      return [];
    }
  });
  expect(prompts).toHaveLength(2);
  expect(prompts[0]).not.toContain("Earlier plans");
  const prompt = prompts.at(-1) ?? "";
  expect(prompt).toContain('A2 (because of a table): still failing after it: "tests pass"');
  expect(stage.asked("A2.1").prompt).toContain("expected MARK to be 2");
  expect(prompt).toContain("- an attempt at A2 (a table): the table is too large");
  expect(prompt).toContain("expected MARK to be 2");
});

test("SPEC 7: the same reason is said once, and a crash or a resume forgets no lesson", async () => {
  const stage = failing({
    A1: [wrong("did it", "a")],
    A2: [{ answer: { success: false, summary: "no digit", artifacts: [] } }],
  });
  const during: RunOverrides["during"] = (line, control) => {
    if (line.event === "attempt_failed" && line.attempt === "A2.3") control.stop("enough");
  };
  await stage.run({ planner: "none", during });
  const { prompt } = stage.asked("A2.3");
  expect(prompt.split("no digit")).toHaveLength(2);
  expect(prompt).toContain("- 2 attempts: no digit");
  stage.rewrite({ A2: [{ write: { right: "1" } }] });
  expect(await stage.run({ planner: "none" })).toMatchObject({ exit_code: 0 });
  expect(stage.asked("A2.4").prompt).toContain("expected MARK to be 2");
});

test("SPEC 7: the children of a split learn what the attempts on their parent came to", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 6 },
    objective: { base_case: { checklist: [{ item: "b", check: { type: "file", value: "b" } }] } },
    script: {
      "A1.1": [{ answer: { success: false, summary: "the port is taken", artifacts: [] } }],
      "A1.2": [{ answer: { split: [{ description: "write b" }], reason: "large" } }],
      A2: [{ write: { b: "1" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("A2.1").prompt).toMatch(/- an attempt at A1 \([^)]+\): the port is taken/);
});
