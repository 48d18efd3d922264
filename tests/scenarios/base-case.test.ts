/** When everything is resolved and the goal is not met, and what may be called completed (SPEC section 6). */
import { expect, test } from "vitest";
import { setStage } from "./stage.ts";

test("SPEC 9: a red base case never completes, whatever the agents say", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_stall_count: 3 },
    objective: { base_case: { type: "command", value: "exit 1" } },
    script: { planner: [{ answer: { atoms: [{ description: "lie again" }], reason: "again" } }] },
  });
  const message = expect.stringContaining("no atom left, but the base case fails: command: exit 1") as string;
  expect(await stage.run()).toMatchObject({ exit_code: 11, report: { outcome: "stalled", message } });
  expect(stage.state().control).toMatchObject({ status: "stopped", outcome: "stalled" });
});

test("SPEC 6: verification happens in a clean checkout of what was integrated", async () => {
  const stage = setStage({
    files: { ".gitignore": "built\n" },
    atoms: [{ id: "A1" }],
    // An ignored file is not integrated, so that it does not count.
    objective: {
      base_case: { checklist: [{ item: "built", check: { type: "not_file", value: "built" } }, ...leaf("a")] },
    },
    script: { A1: [{ write: { a: "1", built: "x" } }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
});

function leaf(file: string) {
  return [{ item: file, check: { type: "file", value: file } as const }];
}

const assertion = { type: "assertion", value: "it reads well" } as const;

test("SPEC 9: without a judge a verdict stays null: exit 16, even when confirmed beforehand", async () => {
  const stage = setStage({ atoms: [{ id: "A1" }], objective: { base_case: assertion } });
  expect(await stage.run({ judge: "none", settings: { confirmed: true } })).toMatchObject({
    exit_code: 16,
    report: { message: expect.stringContaining("it reads well") },
  });
});
