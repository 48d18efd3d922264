import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alignedState, type Alignment } from "../../src/align/alignment.ts";
import { draftAlignment } from "../../src/align/draft-alignment.ts";
import { DEFAULT_CONSTRAINTS } from "../../src/core/state.ts";
import { tempFolder } from "../fixtures/programs.ts";

const DRAFT = {
  goal: "g",
  background_intent: "b",
  deliverables: "d",
  definition_of_done: "x",
  base_case: { checklist: [{ item: "i", check: { type: "file", value: "made.txt" } }] },
  atoms: [
    { id: "A1", description: "Find out", probe: true },
    { id: "A2", description: "Make it", depends_on: ["A1"] },
  ],
};

const KNOWN: Alignment = {
  goal: "Make it",
  background_intent: "BACKGROUND-mark",
  clarifications: [{ question: "Which?", resolution: "CLARIFIED-mark" }],
  base_case: { checklist: [{ item: "CHECK-mark", check: { type: "command", value: "npm test" } }] },
  atoms: [{ id: "A1", description: "ATOM-mark" }],
  protected: ["PROTECTED-mark/**"],
};

/** Answers in turn; what it was asked is in `asked` files. */
function draftedBy(...answers: readonly object[]): {
  readonly dir: string;
  draft(): ReturnType<typeof draftAlignment>;
  asked(call: number): string;
} {
  const dir = tempFolder();
  const agent = join(dir, "agent.mjs");
  writeFileSync(
    agent,
    `import { existsSync, readFileSync, writeFileSync } from "node:fs";
     const answers = ${JSON.stringify(answers)};
     let call = 0;
     while (existsSync("asked" + call)) call++;
     writeFileSync("asked" + call, readFileSync(0, "utf8"));
     console.log(JSON.stringify(answers[Math.min(call, answers.length - 1)]));`,
  );
  const name = `command:"${process.execPath}" agent.mjs`;
  return {
    dir,
    draft: () => draftAlignment(KNOWN, name, dir, new AbortController().signal),
    asked: (call) => {
      const request = JSON.parse(readFileSync(join(dir, `asked${call}`), "utf8")) as { readonly prompt: string };
      return request.prompt;
    },
  };
}

test("SPEC 10: a draft becomes an alignment, probes and dependencies with it", async () => {
  const drafted = await draftedBy(DRAFT).draft();
  if (!drafted.ok) throw new Error(drafted.problems[0]?.message);
  expect(drafted.value).toEqual({ alignment: DRAFT, warnings: [], usage: { calls: 1 }, questions: [] });
});

test("SPEC 7: a draft learns what was given, and may ask at most three questions", async () => {
  const questions = ["a", "b", "c"].map((name) => ({ question: `${name}?`, assumption: name }));
  const stage = draftedBy({ ...DRAFT, questions: [...questions, ...questions] }, { ...DRAFT, questions });
  const drafted = await stage.draft();
  expect(drafted).toMatchObject({ ok: true, value: { questions, warnings: [] } });
  for (const mark of "Make it|BACKGROUND-mark|Which? CLARIFIED-mark|CHECK-mark|ATOM-mark|PROTECTED-mark".split("|"))
    expect(stage.asked(0)).toContain(mark);
});

test("SPEC 7, 10: alternatives of a draft are an OR group of the loop, and what nobody knows in it is reported", async () => {
  const atoms = ["A1", "A2"].map((id) => ({ id, description: id, or_group: "way" }));
  const drafted = await draftedBy({ ...DRAFT, atoms: [{ ...atoms[0], effort: 3 }, atoms[1]] }).draft();
  if (!drafted.ok) throw new Error(drafted.problems[0]?.message);
  expect(drafted.value.warnings).toEqual([
    expect.stringContaining("atoms[0].effort is no field of the answer, and was left out"),
  ]);
  const state = alignedState(drafted.value.alignment, null);
  expect(state.ok && state.value.or_groups).toEqual([
    { name: "way", choices: ["A1", "A2"], selected: "A1", failed: [] },
  ]);
});

test("SPEC 4: a draft sets no limit, no protected file and no state, whatever it says", async () => {
  const greedy = {
    ...DRAFT,
    constraints: { max_iterations: 10_000, max_cost_usd: 1e9 },
    protected: [],
    or_groups: [{ name: "g", choices: ["A1"], selected: "A1", failed: [] }],
    control: { status: "completed" },
  };
  const drafted = await draftedBy(greedy).draft();
  if (!drafted.ok) throw new Error(drafted.problems[0]?.message);
  expect(drafted.value.alignment).toEqual(DRAFT);
  expect(drafted.value.warnings).toHaveLength(4);
  const state = alignedState(drafted.value.alignment, null);
  expect(state.ok && state.value.objective.constraints).toEqual(DEFAULT_CONSTRAINTS);
  expect(state.ok && state.value.atoms.map((atom) => atom.status)).toEqual(["pending", "pending"]);
});

test.each<[string, object, string]>([
  ["base case", { base_case: { checklist: [] } }, "checklist"],
  ["atoms", { atoms: [{ id: "A1", description: "x", depends_on: ["A7"] }] }, "A7, which does not exist"],
  [
    "graph",
    {
      atoms: [
        { id: "A", description: "x", depends_on: ["B"] },
        { id: "B", description: "x", depends_on: ["A"] },
      ],
    },
    "cycle",
  ],
])(
  "SPEC 10: a draft whose %s a person would be refused is drafted once more, with the reason",
  async (_, wrong, reason) => {
    const drafting = draftedBy({ ...DRAFT, ...wrong }, DRAFT);
    expect(await drafting.draft()).toMatchObject({ ok: true });
    expect(drafting.asked(0)).not.toContain("Wrong with the last draft");
    expect(drafting.asked(1)).toContain(reason);
    const stubborn = draftedBy({ ...DRAFT, ...wrong });
    expect(await stubborn.draft()).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining("the agent's draft is not valid") }],
    });
    expect(() => stubborn.asked(2)).toThrow("ENOENT");
  },
);

test("SPEC 6: a person's atom for protected files is refused as a draft's is", () => {
  const atoms = [{ description: "Weaken it", touches: ["tests/a.ts"] }];
  const base_case = { type: "file", value: "made.txt" } as const;
  const state = alignedState({ goal: "g", base_case, protected: ["tests/**"], atoms }, null);
  expect(state).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining("protected") }] });
});
