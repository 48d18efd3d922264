/** `aot phases run` with a scripted agent (SPEC section 11). */
import { describe, expect, test } from "vitest";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { holdRunLock, runnerOf } from "../../src/adapters/store/run-lock.ts";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { makeFreshFolder } from "../../src/adapters/workspace/fresh-folder.ts";
import { pausePhases } from "../../src/phases/pause.ts";
import { phasesStatus } from "../../src/phases/status.ts";
import { actOnPhases } from "../../src/phases/answer.ts";
import { accepted } from "../../src/core/problem.ts";
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, temporaryFolder } from "../support/bundle.ts";
import { setPhaseStage, type PhaseStage } from "../support/phase-stage.ts";
import { BARE, GARDEN, KITCHEN, textsAtHand } from "./core/definitions.ts";

const LIMIT = 480_000;

/** One phase, one gate. */
const SMALL = (gate: object, more: object = {}): object => ({
  id: "small",
  phases: [{ name: "DRAFT", skills: ["write"], required: true }],
  gates: [{ id: "review", afterPhase: "DRAFT", required: true, approvalType: "auto", deliverables: [], ...gate }],
  defaults: { mode: "m" },
  ...more,
});

/** As worktrees share it. */
function linkSettings(stage: PhaseStage): void {
  const shared = join(temporaryFolder(), "shared");
  renameSync(join(stage.root, ".claude"), shared);
  symlinkSync(shared, join(stage.root, ".claude"));
}

/** Approves every gate that it meets; how often the run was begun. */
async function driven(stage: PhaseStage, request: Parameters<PhaseStage["run"]>[0] = {}): Promise<number> {
  for (let runs = 1; runs < 30; runs++) {
    const report = await stage.report(request);
    expect(stage.problems()).toEqual([]);
    expect(runnerOf(stage.stateFile)).toBe(null);
    if (report.outcome === "verified") return runs;
    expect(report).toMatchObject({ outcome: "needs_confirmation", gate: expect.any(String) });
    expect(report.next_step).toContain(`aot phases approve ${report.gate}`);
    await stage.act({ type: "pass_gate", gate: report.gate ?? "", by: "person" });
  }
  throw new Error("it does not come to an end");
}

describe("SPEC 11: from start to completion", () => {
  for (const [name, text] of textsAtHand())
    test(
      `${name}: skills in their order, deliverables, gates answered by a person`,
      async () => {
        // What needs a judge is answered by the agent: it holds.
        const stage = await setPhaseStage(text, { git: name === "GARDEN" });
        await driven(stage, { run: { judge: "none" } });
        expect(stage.loop().status).toBe("complete");
        const skills = stage.definition.phases.flatMap((phase) => phase.skills.map(({ id }) => id));
        const worked = stage.calls().map((call) => call.replace(/\.1$/, ""));
        expect(worked.filter((atom) => skills.includes(atom))).toEqual(skills);
        for (const phase of stage.loop().phases) expect(["complete", "skipped"]).toContain(phase.status);
        for (const gate of stage.definition.gates)
          for (const file of gate.deliverables) expect(stage.read(file), file).not.toBe(null);
      },
      LIMIT,
    );
});

test.skipIf(process.platform === "win32")(
  "where `.claude` is a link a phase's files are looked for, and its work is handed over, in the project all the same",
  async () => {
    const stage = await setPhaseStage(GARDEN, { task: "beans" });
    linkSettings(stage);
    // The person's checkout is in the way of the hand-over.
    stage.write("PLAN.md", "mine\n");
    const first = await stage.report();
    expect(first).toMatchObject({ outcome: "needs_confirmation", gate: null });
    expect(first.message).toContain("not in yours");
    rmSync(join(stage.root, "PLAN.md"));
    stage.git("merge", "--quiet", /git merge ([^\s,]+)/.exec(first.next_step)?.[1] ?? "?");
    expect(await stage.report()).toMatchObject({ outcome: "needs_confirmation", gate: "plan-gate" });
    expect(stage.loop().phases[0]).toMatchObject({ status: "complete", deliverables: ["PLAN.md", "BUDGET.md"] });
  },
);

test("a phase's work is in the person's branch, and its files are recorded; nothing is left behind", async () => {
  const stage = await setPhaseStage(GARDEN, { task: "beans" });
  const first = await stage.report();
  expect(first).toMatchObject({ outcome: "needs_confirmation", gate: "plan-gate" });
  expect(stage.git("ls-files")).toBe("BUDGET.md\nPLAN.md\nREADME.md");
  expect(stage.loop().phases[0]).toMatchObject({ status: "complete", deliverables: ["PLAN.md", "BUDGET.md"] });
  expect(stage.asked("survey.1").prompt).toContain("phase PLAN (1 of 4): beans");
  expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
  // Waiting spends nothing, however often it is run.
  const calls = stage.calls().length;
  expect(await stage.report()).toMatchObject({ outcome: "needs_confirmation", gate: "plan-gate", worked: [] });
  expect(stage.calls()).toHaveLength(calls);
});

test("SPEC 11: a gate's changes requested send the phase back, with the reason as a nogood", async () => {
  const stage = await setPhaseStage(GARDEN);
  await stage.report();
  await stage.act({ type: "fail_gate", gate: "plan-gate", reason: "no budget" });
  stage.rewrite({ "draw.2": [{ write: { "BUDGET.md": "10\n" } }] });
  expect(await stage.report()).toMatchObject({ outcome: "needs_confirmation", gate: "plan-gate" });
  for (const call of ["survey.2.1", "draw.2.1"])
    expect(stage.asked(call).nogoods).toEqual([expect.objectContaining({ reason: "sent back: no budget" })]);
  expect(stage.read("BUDGET.md")).toBe("10\n");
  expect(stage.loop().gates[0]).toMatchObject({ status: "pending" });
  expect(stage.history().answers).toEqual([
    expect.objectContaining({ gate: "plan-gate", answer: "failed", who: "ada", reason: "no budget" }),
  ]);
});

describe("auto gates", () => {
  const RED = { approvalType: "auto", checks: [{ type: "file", value: "GOOD.md" }] };

  test("SPEC 11: it passes when its deliverables exist and its checks pass, in a clean checkout", async () => {
    const stage = await setPhaseStage(SMALL({ checks: ["test ! -e LOCAL.md"] }));
    // Not committed: no part of what is looked at.
    stage.write("LOCAL.md", "");
    expect(await stage.report()).toMatchObject({ outcome: "verified" });
    expect(stage.loop()).toMatchObject({ status: "complete", gates: [{ status: "passed" }] });
    expect(stage.history().answers).toEqual([expect.objectContaining({ gate: "review", who: "check" })]);
    expect(stage.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  test("supervised: what fails is a person's matter; run again, the phase is sent back", async () => {
    const stage = await setPhaseStage(SMALL(RED));
    expect(await stage.report()).toMatchObject({ outcome: "needs_confirmation", gate: "review" });
    expect(stage.loop().gates[0]).toMatchObject({ status: "failed" });
    stage.rewrite({ "write.2": [{ write: { "GOOD.md": "" } }] });
    expect(await stage.report()).toMatchObject({ outcome: "verified" });
    expect(stage.asked("write.2.1").nogoods[0]?.reason).toContain("GOOD.md");
  });

  test("semi-autonomous: sent back by itself, as often as it may be, then a person", async () => {
    const stage = await setPhaseStage(SMALL(RED), {});
    const report = await stage.report({ autonomy: "semi-autonomous" });
    expect(report).toMatchObject({ outcome: "needs_confirmation", gate: "review" });
    expect(stage.calls()).toEqual(["write.1", "write.2.1", "write.3.1"]);
    expect(report.worked.map(({ outcome }) => outcome)).toEqual(["verified", "verified", "verified"]);
  });

  test("a person's fix and `retry`: it is looked at again, and nothing is worked", async () => {
    const stage = await setPhaseStage(SMALL(RED));
    await stage.report();
    stage.write("GOOD.md", "");
    stage.git("add", "-A", "GOOD.md");
    stage.git("commit", "-q", "-m", "fixed");
    await stage.act({ type: "retry_gate", gate: "review" });
    expect(await stage.report()).toMatchObject({ outcome: "verified", worked: [] });
  });

  test("a person's approval stands for the judge's, not for a check that fails", async () => {
    const stage = await setPhaseStage(SMALL({ checks: ["test -f GOOD.md"], autoCheck: "good" }));
    await stage.report({ run: { judge: "none" } });
    await stage.act({ type: "retry_gate", gate: "review" });
    const pass = { type: "pass_gate", gate: "review", by: "person" } as const;
    await stage.act(pass);
    expect(stage.loop().gates[0]?.status).toBe("failed");
    stage.write("GOOD.md", "");
    await stage.act({ type: "retry_gate", gate: "review" });
    await stage.act(pass);
    expect(stage.loop().status).toBe("complete");
  });

  test("what it says in words goes to the judge; without one a person is asked", async () => {
    const stage = await setPhaseStage(SMALL({ autoCheck: "soil is loose" }), {
      script: {
        judge: [
          { answer: { passed: true, evidence: "it is", quotes: [{ file: "README.md", line: 1, text: "a project" }] } },
        ],
      },
    });
    const asked = await stage.report({ run: { judge: "none" } });
    expect(asked.message).toContain("nobody could judge");
    expect(asked.gate).toBe("review");
    expect(await stage.report()).toMatchObject({ outcome: "verified" });
    expect(stage.asked("judge_assertion__soil_is_loose").prompt).toContain("A gate of");
  });
});

test("SPEC 11: a phase may itself be an AoT loop; its completion completes the phase", async () => {
  const aot = {
    goal: "two files",
    base_case: { checklist: [{ item: "a", check: { type: "command", value: "test -f a.txt" } }] },
    atoms: [
      { id: "X1", description: "a" },
      { id: "X2", description: "b", depends_on: ["X1"] },
    ],
    protected: ["README.md"],
  };
  const phases = [{ name: "BUILD", aot, deliverables: ["b.txt"] }];
  const stage = await setPhaseStage(
    { id: "own", phases },
    { script: { X1: [{ write: { "a.txt": "" } }], X2: [{ write: { "b.txt": "" } }] } },
  );
  expect(await stage.report()).toMatchObject({ outcome: "verified" });
  expect(stage.calls()).toEqual(["X1.1", "X2.1"]);
  const read = await readStateFile(join(stage.stateFile, "..", "own", "01-BUILD.md"));
  if (!read.ok) throw new Error("no state");
  expect(read.value.state.objective).toMatchObject({ goal: "two files", protected: ["README.md"] });
  expect(JSON.stringify(read.value.state.objective.base_case)).toContain("b.txt");
});

test("an `aot` that does not fit is refused when the loop begins, with its field", async () => {
  await expect(setPhaseStage({ id: "x", phases: [{ name: "A", aot: { goal: "g" } }] })).rejects.toThrow(/base case/);
  await expect(
    setPhaseStage({ id: "x", phases: [{ name: "A", aot: { goal: "g", base_case: { type: "fil", value: "x" } } }] }),
  ).rejects.toThrow(/"phases",0,"aot"/);
});

describe("skills", () => {
  test("SPEC 11: as a Claude Code skill, as a Markdown file, or its name is the instruction", async () => {
    const phases = [{ name: "A", skills: ["one", "two", "three", { skillId: "four", required: false }, "../five"] }];
    const stage = await setPhaseStage({ id: "x", phases }, { script: {} });
    stage.write(".claude/skills/one/SKILL.md", "---\nname: one\n---\nDo the first thing.\n");
    stage.write("docs/skills/two.md", "Do the second thing.\n");
    stage.write("skills/three.md", `${"Very long. ".repeat(400)}\n`);
    stage.write(".claude/five.md", "not for you\n");
    expect(await stage.report({ skills: ["docs/skills"] })).toMatchObject({ outcome: "verified" });
    const prompt = (call: string): string => stage.asked(call).prompt;
    expect(prompt("one.1")).toContain("Do the first thing.");
    expect(prompt("one.1")).not.toContain("name: one");
    expect(prompt("two.1")).toContain("Do the second thing.");
    expect(prompt("three.1")).toContain(`${join(stage.root, "skills", "three.md")}: read that file first`);
    expect(prompt("four.1")).toContain("its name says what to do");
    expect(prompt("four.1")).toContain("The skill is optional");
    expect(stage.calls().at(-1)).toBe("five.1");
    expect(prompt("five.1")).not.toContain("not for you");
  });
});

describe("budgets of the whole", () => {
  const TWO = {
    id: "two",
    phases: [
      { name: "A", skills: ["a"] },
      { name: "B", skills: ["b"] },
    ],
  };
  const COST = {
    script: { worker: [{ answer: { success: true, summary: "s", artifacts: [], usage: { cost_usd: 2 } } }] },
  };
  const settings = { verify_each: false, confirmed: false };

  test("SPEC 4: what the phases before spent counts; the limit that is spent ends the run, and more goes on", async () => {
    const stage = await setPhaseStage(TWO, COST);
    const report = await stage.report({ run: { settings: { ...settings, max_cost_usd: 2 } } });
    expect(report).toMatchObject({ outcome: "budget", spent: { cost_usd: 2, iterations: 1 } });
    expect(stage.calls()).toEqual(["a.1"]);
    expect(await stage.report({ run: { settings: { ...settings, max_iterations: 1 } } })).toMatchObject({
      outcome: "max_iterations",
    });
    expect(await stage.report({ run: { settings: { ...settings, max_cost_usd: 9 } } })).toMatchObject({
      outcome: "verified",
      spent: { cost_usd: 4, iterations: 2 },
    });
  });
});

test("a phase that does not come through ends the run with its outcome, and goes on when it is run again", async () => {
  const stage = await setPhaseStage(SMALL({}), {
    script: { write: [{ answer: { success: false, summary: "no ink" } }] },
  });
  const end = await stage.run();
  expect(end).toMatchObject({ ok: true, exit_code: 11, report: { outcome: "stalled" } });
  if (end.ok) expect(end.report.next_step).toContain("--state-file");
  const status = phasesStatus(stage.stateFile);
  expect(status).toMatchObject({
    ok: true,
    value: { halted: expect.stringContaining("the phase DRAFT: "), runner: null },
  });
  expect(stage.loop().phases[0]).toMatchObject({ status: "active" });
  stage.rewrite({});
  expect(await stage.report()).toMatchObject({ outcome: "verified" });
  expect(stage.history().last_halt).toBe("the loop small is complete");
});

test("work that could not be merged is taken by the person before the next phase begins", async () => {
  const stage = await setPhaseStage(
    {
      id: "x",
      phases: [
        { name: "A", skills: ["a"] },
        { name: "B", skills: ["b"] },
      ],
    },
    { script: { a: [{ write: { "a.txt": "a" } }] } },
  );
  const report = await stage.report({ run: { merge: false } });
  expect(report).toMatchObject({ outcome: "needs_confirmation", gate: null });
  const [, branch = ""] = /git merge (\S+),/.exec(report.next_step) ?? [];
  expect(await stage.report()).toMatchObject({ outcome: "needs_confirmation" });
  stage.git("merge", "-q", branch);
  expect(await stage.report()).toMatchObject({ outcome: "verified" });
  expect(stage.calls()).toEqual(["a.1", "b.1"]);
});

describe("ended and joined from outside", () => {
  test("SPEC 11: `pause` reaches the run, which pauses the loop; a run resumes it", async () => {
    const stage = await setPhaseStage(GARDEN);
    let asked: Promise<unknown> = Promise.resolve();
    const report = await stage.report({
      during: (line) => {
        if (line.event === "attempt_started") asked = pausePhases(stage.stateFile);
      },
    });
    expect(await asked).toMatchObject({ ok: true });
    expect(report).toMatchObject({ outcome: "stop_requested", loop: { status: "paused" } });
    expect(await stage.report()).toMatchObject({ gate: "plan-gate", loop: { status: "active" } });
  });

  test("PHASES-ANSWER-4: while it is worked a person waits, but for counting; a second run says who works it", async () => {
    const stage = await setPhaseStage(SMALL({}));
    const refusals: Promise<unknown>[] = [];
    await stage.report({
      during: (line) => {
        if (line.event !== "attempt_started") return;
        const act = (action: Parameters<PhaseStage["act"]>[0]): Promise<unknown> =>
          actOnPhases(stage.stateFile, () => accepted(action), { who: "ada" });
        refusals.push(
          act({ type: "fail_phase", phase: "DRAFT", reason: "r" }),
          act({ type: "count", metric: "words", value: 3 }),
          stage.run(),
        );
      },
    });
    const [failed, counted, second] = await Promise.all(refusals);
    expect(failed).toMatchObject({ ok: false, problems: [{ hint: expect.stringContaining("aot phases pause") }] });
    expect(counted).toMatchObject({ ok: true });
    expect(second).toMatchObject({ ok: false, exit_code: 1, problems: [{ message: expect.stringContaining("pid") }] });
    expect(stage.loop().metrics).toEqual([{ name: "words", value: 3 }]);
  });

  test("--wait: it stays without a lock, and goes on once the gate is answered", async () => {
    const stage = await setPhaseStage(SMALL({ approvalType: "human" }));
    const reported: string[] = [];
    const ended = stage.report({ wait: true, reported: (message) => void reported.push(message) });
    await eventually("it waits", () => reported.some((line) => line.includes("waits for a human")), LIMIT);
    expect(runnerOf(stage.stateFile)).toBe(null);
    await stage.act({ type: "fail_gate", gate: "review", reason: "shorter" });
    await eventually("it waits again", () => reported.filter((line) => line.includes("waits for")).length === 2, LIMIT);
    await stage.act({ type: "pass_gate", gate: "review", by: "person" });
    expect(await ended).toMatchObject({ outcome: "verified" });
    expect(stage.calls()).toEqual(["write.1", "write.2.1"]);
  });

  test("--wait ends with a stop", async () => {
    const stage = await setPhaseStage(SMALL({ approvalType: "human" }));
    const stop = { now: (): void => {} };
    const ended = stage.report({
      wait: true,
      during: (line, control) => {
        if (line.event === "run_started") stop.now = () => control.stop("enough");
      },
      reported: (message) => message.includes("waits for a human") && stop.now(),
    });
    expect(await ended).toMatchObject({ outcome: "stop_requested" });
  });
});

describe("loops that are over", () => {
  test("a complete one says so, a failed one is reopened by a person alone", async () => {
    const stage = await setPhaseStage(BARE);
    expect(await stage.report()).toMatchObject({ outcome: "verified" });
    expect(await stage.report()).toMatchObject({ outcome: "verified", worked: [] });
    expect(await stage.report({ reopen: "restart" })).toMatchObject({ outcome: "verified" });
    const failed = await setPhaseStage(SMALL({}));
    await failed.act({ type: "fail_loop", reason: "flood" });
    expect(await failed.run()).toMatchObject({
      ok: false,
      exit_code: 1,
      problems: [{ message: "the loop small has failed: flood", hint: expect.stringContaining("--retry") }],
    });
    expect(await failed.report({ reopen: "retry" })).toMatchObject({ outcome: "verified" });
  });

  test("begun again, its phases are worked by new loops, and what was spent is forgotten with them", async () => {
    const stage = await setPhaseStage(SMALL({}));
    await stage.report();
    expect(await stage.report({ reopen: "restart" })).toMatchObject({ outcome: "verified", spent: { iterations: 1 } });
    expect(stage.calls()).toEqual(["write.1", "write.1"]);
    expect(existsSync(join(stage.stateFile, "..", "small", "01-DRAFT.2.md"))).toBe(true);
  });
});

test("an optional phase with nothing to work is skipped, and what a killed look left is removed", async () => {
  const stage = await setPhaseStage(KITCHEN, { git: true });
  const left = await makeFreshFolder(loopPaths(stage.stateFile).dir, stage.root);
  writeFileSync(join(left, "left"), "");
  await driven(stage, { run: { judge: "none" } });
  expect(existsSync(left)).toBe(false);
  const lock = holdRunLock(stage.stateFile);
  expect(lock.ok).toBe(true);
  if (lock.ok) lock.release();
});
