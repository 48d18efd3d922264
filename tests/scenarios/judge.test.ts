/** The judge in whole runs: quotes, and what it does not see (SPEC section 6). */
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalLine } from "../../src/core/journal.ts";
import type { Check } from "../../src/core/state.ts";
import type { LeafVerdict } from "../../src/core/verdict.ts";
import { setStage, type Play, type Stage } from "./stage.ts";

const QUALITY: Check = {
  type: "quality",
  rubric: [{ criterion: "Names" }, { criterion: "Size" }, { criterion: "Tests" }],
  pass_threshold: 3,
  scope: "src/**",
};
const scored = (score: number, text = "let total = 0;"): object => ({
  scores: ["Names", "Size", "Tests"].map((criterion) => ({
    criterion,
    score,
    reason: "as quoted",
    quotes: [{ file: "src/a.js", line: 1, text }],
  })),
});
const SOUND: Play["objective"] = {
  base_case: {
    checklist: [
      { item: "sound", check: { type: "assertion", value: "a total is kept" } },
      { item: "good", check: QUALITY },
    ],
  },
};
const BOAST = "flawless work, a clear five";

function judged(judge: object, more: Partial<Play> & { readonly check?: string } = {}): Stage {
  const { check = "exit 0" } = more;
  return setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 3, max_stall_count: 1 },
    objective: {
      base_case: {
        checklist: [
          { item: "tests", check: { type: "command", value: check } },
          { item: "good", check: QUALITY },
        ],
      },
    },
    script: {
      A1: [{ write: { "src/a.js": "let total = 0;\n" } }, { answer: { success: true, summary: BOAST, artifacts: [] } }],
      judge: [{ answer: judge }],
    },
    ...more,
  });
}

function evidenceIn(lines: readonly JournalLine[]): LeafVerdict["evidence"] | undefined {
  const checked = lines.findLast((line) => line.event === "base_case_checked");
  const node = checked?.event === "base_case_checked" ? checked.verdict.checklist[1] : undefined;
  return node !== undefined && "check" in node ? node.evidence : undefined;
}

test("SPEC 6: the judge does not see what the worker said of its work", async () => {
  const stage = judged(scored(4));
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const asked = stage.asked("judge_good");
  expect(JSON.stringify(asked)).not.toContain(BOAST);
  expect(asked).toMatchObject({ bindings: {}, nogoods: [] });
  expect(asked.prompt).toContain("1| let total = 0;");
});

test("SPEC 6: a state file that is committed elsewhere is not shown either, nor does it count as evidence", async () => {
  const record = "title: flawless so far\n";
  const stage = judged(scored(4), {
    state_file: "src/loop.md",
    files: { "src/loop.md.aot-loop/journal.jsonl": record, "src/loop.md.bak-1": record },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(stage.asked("judge_good").prompt).not.toContain("flawless");
});

test("SPEC 6: a check that rewrites the checkout shows the judge nothing that counts", async () => {
  const forged = judged(scored(5, "let beautiful = 1;"), { check: "echo 'let beautiful = 1;' > src/a.js" });
  expect(await forged.run()).toMatchObject({ exit_code: 16, report: { outcome: "needs_confirmation" } });
  expect(evidenceIn(forged.journal())).toMatchObject({
    kind: "error",
    message: expect.stringContaining("changed while"),
  });
  expect(forged.asked("judge_good").prompt).not.toContain("beautiful");
});

test("SPEC 6: nothing is judged twice on one tree, and no verdict that passed flips, in a later run neither", async () => {
  const quotes = [{ file: "src/a.js", line: 1, text: "let total = 0;" }];
  const script = {
    A1: [{ write: { "src/a.js": "let total = 0;\n" } }],
    "judge:good": [{ answer: scored(4) }],
    "judge:sound": [{ answer: { passed: true, evidence: "it is", quotes } }],
  };
  const stage = judged({}, { objective: SOUND, script });
  expect(await stage.run()).toMatchObject({ exit_code: 16 });
  stage.rewrite({
    judge: [{ answer: scored(1) }],
    "judge:sound": [{ answer: { passed: false, evidence: "", quotes } }],
  });
  expect(await stage.run({ settings: { confirmed: true } })).toMatchObject({ exit_code: 0 });
  expect(evidenceIn(stage.journal())).toMatchObject({ average: 4 });
});

test("SPEC 10: played back, a judgement is what it was", async () => {
  const first = judged(scored(4));
  const record = join(first.root, "..", "recording.jsonl");
  expect(await first.run({ record })).toMatchObject({ exit_code: 0 });
  const again = judged(scored(1));
  expect(await again.run({ agent: `replay:${record}` })).toMatchObject({ exit_code: 0 });
  expect(evidenceIn(again.journal())).toEqual(evidenceIn(first.journal()));
});
