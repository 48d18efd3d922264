/** A client's session works a loop (SPEC sections 4, 6, 8 and 10): real files. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { openJournal } from "../../src/adapters/store/journal.ts";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { holdRunLock } from "../../src/adapters/store/run-lock.ts";
import { addBindingTo, failAtomIn, updateAtomIn } from "../../src/edit/atoms.ts";
import { takeAnswer } from "../../src/session/answers.ts";
import { endSessionIteration, enterLoop, haltedIn, type SessionAnswer } from "../../src/session/session.ts";
import {
  adoptCoordinator,
  interruptSession,
  launchAttempt,
  openWork,
  recordRunning,
  recordScores,
} from "../../src/session/work.ts";
import { answerText } from "../../src/interfaces/hook/session-text.ts";
import { foreignRefusal, reportRefusal } from "../../src/project/session-owner.ts";
import { sessionFiles } from "../../src/project/session-record.ts";
import { recallLoop } from "../../src/history/recall-loop.ts";
import { setLoopStatus } from "../../src/edit/set-loop-status.ts";
import { stopLoop } from "../../src/index.ts";
import type { Result } from "../../src/core/problem.ts";
import type { State } from "../../src/core/state.ts";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { projectWith } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { needs } from "../support/needs.ts";

const SUCCESS = '{"success": true, "summary": "done", "artifacts": []}';
const never = new AbortController().signal;
let dir: string;
let file: string;
let stops = 0;

/** @param atoms YAML of `atoms`; `checks` of the checklist's leaves */
function loop(atoms: string, check = '{ type: file, value: "done.txt" }', more = "", groups = ""): string {
  return `---
objective:
  goal: "It is done"
  base_case:
    checklist:
      - item: "it is there"
        check: ${check}
  background_intent: "why"
  deliverables: "what"
  definition_of_done: "when"
  constraints:
    max_iterations: 6
    max_parallel_agents: 2
    max_stall_count: 2
${more}control:
  status: pending
  iteration: 0
  stall_count: 0
  prev_pending_count: -1
  stop_requested: false
  stop_reason: null
  redirect_requested: false
atoms:
${atoms}
decompositions: []
or_groups: {${groups}}
bindings: {}
trail: []
corrections: []
---

# Original Prompt

Do it.
`;
}
const atom = (id: string, depends = "", more = ""): string =>
  `  - id: ${id}\n    description: "do ${id}"\n    status: pending\n    depends_on: [${depends}]${more}`;

beforeEach(() => {
  use(loop([atom("A1"), atom("A2"), atom("A3", "A1, A2")].join("\n")));
});
function use(text: string): void {
  const made = projectWith(text);
  dir = made.dir;
  file = made.state;
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join("; "));
  return result.value;
}
const enter = async (session = "S"): Promise<SessionAnswer> =>
  valueOf(await enterLoop(file, { session, mode: "agent" }, never));
const stop = (agent: string | null = "c1", fingerprint = `p${++stops}`, session = "S"): Promise<SessionAnswer> =>
  endSessionIteration(file, { session, agent, fingerprint }, never);
const state = async (): Promise<State> => valueOf(await readStateFile(file)).state;
const resolve = async (...ids: string[]): Promise<void> => {
  for (const id of ids) valueOf(await updateAtomIn(file, id, "resolved"));
};

describe("SPEC 4, 10: the continuation decision", () => {
  test("a whole loop: two side by side, then the third, then the verdict", async () => {
    expect(await enter()).toMatchObject({ kind: "work", iteration: 1, work: [{ atom: "A1" }, { atom: "A2" }] });
    expect((await state()).control).toMatchObject({ status: "running", iteration: 1, session_id: "S" });
    await resolve("A1", "A2");
    expect(await stop()).toMatchObject({ kind: "work", iteration: 2, work: [{ atom: "A3" }], judged: { measure: 1 } });
    writeFileSync(join(dir, "done.txt"), "");
    await resolve("A3");
    expect(await stop()).toMatchObject({ kind: "halted", outcome: "verified" });
    expect((await state()).control).toMatchObject({ status: "completed", outcome: "verified", session_id: null });
    expect(await stop(null)).toMatchObject({ kind: "halted" });
    expect(existsSync(sessionFiles(file).mark)).toBe(false);
    expect(recallLoop(file)).toMatchObject({
      unfinished: null,
      iteration: 2,
      memory: { attempts: { A1: 1, A2: 1, A3: 1 } },
    });
  });

  test("SPEC 7: git shows none of the loop's own files, so that no agent commits them", async () => {
    needs("git");
    const git = (...args: readonly string[]): string => execFileSync("git", ["-C", dir, ...args], { encoding: "utf8" });
    git("init", "--quiet");
    git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "--quiet", "--allow-empty", "--message", "first");
    await enter();
    expect(existsSync(loopPaths(file).journal)).toBe(true);
    expect(git("status", "--porcelain", "--untracked-files=all")).toBe("");
  });

  test.skipIf(process.platform === "win32")(
    "SPEC 6: where `.claude` is a link, as worktrees share it, the base case is that of the project all the same",
    async () => {
      const elsewhere = join(temporaryFolder(), "shared");
      renameSync(join(dir, ".claude"), elsewhere);
      symlinkSync(elsewhere, join(dir, ".claude"));
      await enter();
      expect(existsSync(join(dir, ".claude", "aot-loop", "session"))).toBe(true);
      await resolve("A1", "A2");
      await stop();
      writeFileSync(join(dir, "done.txt"), "");
      await resolve("A3");
      expect(await stop()).toMatchObject({ kind: "halted", outcome: "verified" });
    },
  );

  test.skipIf(process.platform === "win32")(
    "a state file that is itself a link is refused: the hooks look beside the link, where nothing would be",
    async () => {
      const elsewhere = join(temporaryFolder(), "state.md");
      renameSync(file, elsewhere);
      symlinkSync(elsewhere, file);
      const before = readFileSync(elsewhere, "utf8");
      expect(await enterLoop(file, { session: "S", mode: "agent" }, never)).toMatchObject({
        ok: false,
        problems: [{ message: expect.stringContaining(elsewhere) }],
      });
      expect(readFileSync(elsewhere, "utf8")).toBe(before);
    },
  );

  test("SPEC 6: the coordinator gets what earlier plans came to, as a planner does", async () => {
    use(loop(atom("A1")));
    await enter();
    await resolve("A1");
    expect(await stop()).toMatchObject({ kind: "work", work: [{ atom: "A2" }], plans: "" });
    await resolve("A2");
    const again = await stop();
    expect(again).toMatchObject({ kind: "work", work: [{ atom: "A3" }] });
    const words = 'A2 (one atom for each check that fails): still failing after it: "it is there"';
    expect(again).toMatchObject({ plans: expect.stringContaining(words) });
    if (again.kind !== "work") throw new Error("no work");
    expect(answerText(again)).toContain(`Earlier plans, and what they came to:\n- ${words}`);
  });

  test("a claim is no verdict: 'completed' written into the file is verified, and found wanting", async () => {
    await enter();
    writeFileSync(file, readFileSync(file, "utf8").replace("status: running", "status: completed"));
    expect(await stop()).toMatchObject({ kind: "work", iteration: 2 });
    expect((await state()).control.status).toBe("running");
  });

  test("stalls stop the loop, and a person's resume goes on with the fuel that is left", async () => {
    await enter();
    expect(await stop()).toMatchObject({ kind: "work", iteration: 2 });
    expect(await stop()).toMatchObject({ kind: "work", iteration: 3, judged: { movement: "stall", stall_count: 1 } });
    expect(await stop()).toMatchObject({ kind: "halted", outcome: "stalled" });
    expect(await stop()).toEqual({ kind: "untouched" });
    expect(await enter("T")).toMatchObject({ kind: "work", iteration: 4 });
    expect((await state()).control).toMatchObject({ stall_count: 0, session_id: "T", outcome: null });
  });

  test("one stop is judged once, however often it is reported", async () => {
    await enter();
    const first = await stop("c1", "same");
    expect(first).toMatchObject({ kind: "work", iteration: 2 });
    for (let times = 0; times < 3; times++) expect(await stop("c1", "same")).toEqual(first);
    expect((await state()).control.iteration).toBe(2);
  });

  test("a stop that is reported for ever is not answered alike for ever", async () => {
    await enter();
    for (let times = 0; times < 40; times++) await stop("c1", "same");
    expect((await state()).control).toMatchObject({ status: "stopped", outcome: "stalled" });
  });

  test("other sessions, other agents and a former coordinator change nothing", async () => {
    await enter();
    const before = readFileSync(file, "utf8");
    expect(await stop("c1", "p", "another")).toEqual({ kind: "untouched" });
    expect(await stop(null)).toMatchObject({ kind: "cut_off" });
    expect(await stop(null)).toEqual({ kind: "untouched" });
    valueOf(await adoptCoordinator(file, "S", "c1"));
    valueOf(await adoptCoordinator(file, "S", "c2"));
    expect(await stop("c1")).toMatchObject({ kind: "untouched" });
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(await stop("c2")).toMatchObject({ kind: "work", iteration: 2 });
  });

  test("without its record the decision is made all the same: the fuel is in the state", async () => {
    await enter();
    rmSync(sessionFiles(file).record);
    expect(await stop(null)).toEqual({ kind: "untouched" });
    expect(await stop()).toMatchObject({ kind: "work", iteration: 2 });
    writeFileSync(sessionFiles(file).record, "{ half");
    expect(await stop()).toMatchObject({ kind: "work", iteration: 3 });
  });

  test("an invalid or absent state is not written to, and reported", async () => {
    await enter();
    writeFileSync(file, "nonsense");
    expect(await stop()).toMatchObject({ kind: "untouched", why: expect.any(String) });
    expect(readFileSync(file, "utf8")).toBe("nonsense");
    rmSync(file);
    expect(await stop()).toMatchObject({ kind: "untouched" });
  });

  test("SPEC 8: one runner: a session is refused while a run works the loop, and has no say when one took it", async () => {
    const lock = holdRunLock(file);
    expect(await enterLoop(file, { session: "S", mode: "agent" }, never)).toMatchObject({ ok: false });
    expect(existsSync(sessionFiles(file).mark)).toBe(false);
    if (lock.ok) lock.release();
    await enter();
    const again = holdRunLock(file);
    expect(await stop()).toMatchObject({ kind: "untouched", why: expect.stringContaining("run") });
    if (again.ok) again.release();
  });

  test("SPEC 2, 8: a loop that a run took up and completed stays completed, whatever the old coordinator does", async () => {
    await enter();
    const journal = valueOf(openJournal(loopPaths(file).journal));
    const line = { time: new Date().toISOString(), run: "r1", iteration: 2 };
    valueOf(
      journal.append([
        { ...line, event: "run_started" },
        { ...line, event: "run_ended" },
      ]),
    );
    journal.close();
    writeFileSync(file, readFileSync(file, "utf8").replace("status: running", "status: completed"));
    expect(await stop()).toMatchObject({ kind: "untouched", why: expect.stringContaining("run") });
    expect((await state()).control.status).toBe("completed");
    expect(existsSync(sessionFiles(file).mark)).toBe(false);
  });

  test("SPEC 8: stop: what is asked for while agents work stops the loop at the iteration's end", async () => {
    await enter();
    valueOf(await stopLoop(file, "enough"));
    expect(await launchAttempt(file, { session: "S", by: "c1", role: "worker", description: "A1: x" })).toMatchObject({
      ok: false,
    });
    expect(await stop()).toMatchObject({ kind: "halted", outcome: "stop_requested" });
    expect((await state()).control).toMatchObject({ status: "stopped", session_id: null });
  });
});

describe("SPEC 5, 7: agents start on what was handed out, once", () => {
  const launch = (
    description: string,
    role: "worker" | "probe" = "worker",
    by = "c1",
  ): ReturnType<typeof launchAttempt> => launchAttempt(file, { session: "S", by, role, description });

  test("with the atom, its dependencies' bindings and the criteria, and no more often than handed out", async () => {
    await enter();
    expect(valueOf(await launch("A1: first")).prompt).toContain("do A1");
    expect(await launch("A1: again")).toMatchObject({ ok: false });
    expect(await launch("A3: too early")).toMatchObject({ ok: false });
    expect(await launch("A10: another id")).toMatchObject({ ok: false });
    expect(await launch("A1.2: another id")).toMatchObject({ ok: false });
    expect(await launch("something else")).toMatchObject({ ok: false });
    expect(await launch("A2: second", "probe")).toMatchObject({ ok: false });
    expect(valueOf(await openWork(file, "S"))).toMatchObject({ work: [{ atom: "A2" }] });
    valueOf(await launch("A2"));
    expect(await launch("A2")).toMatchObject({ ok: false });
    await resolve("A1", "A2");
    valueOf(await addBindingTo(file, "A1", { summary: "made a thing", artifacts: ["a.ts"] }));
    await stop();
    expect(valueOf(await launch("A3")).prompt).toContain("made a thing");
  });

  test("SPEC 7, 4: a failure counts one attempt, the one that was handed out, and its reason is handed on", async () => {
    await enter();
    valueOf(await launch("A1"));
    valueOf(await failAtomIn(file, "A1", "the disk is round"));
    expect(recallLoop(file).memory).toMatchObject({ attempts: { A1: 1, A2: 1 }, nogoods: [{ attempt: "A1.1" }] });
    expect(await stop()).toMatchObject({
      work: [
        { atom: "A1", attempt: "A1.2" },
        { atom: "A2", attempt: "A2.2" },
      ],
    });
    expect(valueOf(await launch("A1")).prompt).toContain("the disk is round");
  });

  test("SPEC 7, 9: without an alternative the loop stops, says so, and belongs to nobody", async () => {
    use(loop(atom("A1", "", "\n    or_group: way"), undefined, "", "way: {choices: [A1], selected: A1, failed: []}"));
    await enter();
    valueOf(await failAtomIn(file, "A1", "no"));
    expect(await stop()).toMatchObject({ kind: "halted", outcome: "or_group_exhausted" });
    expect((await state()).control).toMatchObject({ status: "stopped", session_id: null });
    expect(recallLoop(file).unfinished).toBe(null);
  });

  test("SPEC 8: what a person stopped by hand stays stopped", async () => {
    await enter();
    valueOf(await setLoopStatus(file, "stopped", "by hand", { deciders: { confirm: false }, signal: never }));
    expect(await stop()).toEqual({ kind: "untouched" });
    expect((await state()).control).toMatchObject({ status: "stopped", stop_reason: "by hand" });
  });

  test("SPEC 8: a redirect ends the iteration without judging it; entering goes on, and the old coordinator has no say", async () => {
    await enter();
    const task = valueOf(await launch("A1")).prompt;
    valueOf(await interruptSession(file, "S"));
    expect(readFileSync(sessionFiles(file).mark, "utf8")).toBe("1 interrupted S\n");
    expect(await launch("A2")).toMatchObject({ ok: false });
    expect(await takeAnswer(file, { session: "S", task, answer: SUCCESS })).toMatchObject({ value: { again: null } });
    expect((await state()).atoms[0]).toMatchObject({ status: "in_progress" });
    expect(await stop()).toEqual({ kind: "interrupted" });
    expect((await state()).control).toMatchObject({ iteration: 1, prev_pending_count: -1, redirect_requested: true });
    expect(await enter()).toMatchObject({ kind: "work", iteration: 2 });
    expect((await state()).control.redirect_requested).toBe(false);
  });
});

describe("SPEC 5, 10: a client that runs the agents in the background", () => {
  type Running = readonly { readonly id: string; readonly role: "coordinator" | "worker" }[];
  const coordinator = { id: "c1", role: "coordinator" } as const;
  const stopWith = (running: Running, agent: string | null = "c1"): Promise<SessionAnswer> =>
    endSessionIteration(file, { session: "S", agent, fingerprint: `p${++stops}`, running }, never);
  const launch = (atomId: string): ReturnType<typeof launchAttempt> =>
    launchAttempt(file, { session: "S", by: "c1", role: "worker", description: `${atomId}: x` });

  test("SESSION-4: whenever the coordinator stops: no atom has two workers, no more work than allowed, and no result is lost", async () => {
    const moves = fc.array(fc.constantFrom("start", "end", "die", "stop", "stop"), { minLength: 5, maxLength: 40 });
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(moves, async (list) => {
        use(loop([atom("A1"), atom("A2"), atom("A3", "A1, A2")].join("\n")));
        let answer = await enter();
        let open = answer.kind === "work" ? answer.work.map((item) => item.atom) : [];
        let running: { readonly id: string; readonly task: string }[] = [];
        let [done, died]: string[][] = [[], []];
        for (const move of list) {
          if (move === "start" && open[0] !== undefined) {
            running = [...running, { id: open[0], task: valueOf(await launch(open[0])).prompt }];
            open = open.slice(1);
          } else if (move === "end" && running[0] !== undefined) {
            const { id, task } = running[0];
            valueOf(await takeAnswer(file, { session: "S", task, answer: `Done. ${SUCCESS}` }));
            done = [...(done ?? []), id];
            running = running.slice(1);
          } else if (move === "die" && running[0] !== undefined) {
            died = [...(died ?? []), running[0].id];
            running = running.slice(1);
          } else if (move === "stop") {
            const before = readFileSync(file, "utf8");
            answer = await stopWith([coordinator, ...running.map(({ id }) => ({ id, role: "worker" }) as const)]);
            if (running.length > 0) {
              expect(answer).toEqual({ kind: "untouched" });
              expect(readFileSync(file, "utf8")).toBe(before);
            } else {
              decided++;
              const { atoms } = await state();
              for (const { id, status } of atoms)
                expect([id, done?.includes(id) === true]).toEqual([id, status === "resolved"]);
              const lessons = recallLoop(file).memory.nogoods.map((nogood) => nogood.attempt);
              const failed = lessons.flatMap((attempt) => /^(.+)\.\d+$/.exec(attempt)?.[1] ?? []);
              expect(failed.toSorted()).toEqual(died?.toSorted());
              if (answer.kind !== "work") return;
              open = answer.work.map((item) => item.atom);
            }
          }
          expect(new Set(running.map(({ id }) => id)).size).toBe(running.length);
          expect(running.length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 40 },
    );
    expect(decided).toBeGreaterThan(10);
  });

  test("entered again it is refused as long as they run; a human's decision, or that they ended, lets it go on", async () => {
    await enter();
    valueOf(await recordRunning(file, "S", coordinator));
    const before = readFileSync(file, "utf8");
    const entering = { session: "S", mode: "agent" } as const;
    expect(await enterLoop(file, entering, never)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining("in the background"), hint: expect.stringContaining("take-over") }],
    });
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(await stopWith([coordinator], null)).toEqual({ kind: "untouched" });
    expect(await enterLoop(file, entering, never)).toMatchObject({ ok: false });
    expect(await stopWith([], null)).toMatchObject({ kind: "cut_off" });
    expect(await enter()).toMatchObject({ kind: "work", iteration: 2 });
    valueOf(await recordRunning(file, "S", coordinator));
    expect(valueOf(await enterLoop(file, { ...entering, take_over: true }, never))).toMatchObject({ iteration: 3 });
  });

  test("the model service fails the main thread while its coordinator works in the background: nobody is cut off", async () => {
    await enter();
    valueOf(await recordRunning(file, "S", coordinator));
    const broken = { session: "S", agent: null, fingerprint: "p", broken: true } as const;
    expect(await endSessionIteration(file, broken, never)).toEqual({ kind: "untouched" });
    expect(await stopWith([coordinator])).toMatchObject({ kind: "work", iteration: 2 });
  });
});

describe("SPEC 7, 10: an agent's own answer decides, whatever its coordinator says", () => {
  const started = async (id: string, role: "worker" | "probe" = "worker"): Promise<string> =>
    valueOf(await launchAttempt(file, { session: "S", by: "c1", role, description: `${id}: x` })).prompt;
  const says = async (task: string, answer: string | object): Promise<string | null> => {
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    return valueOf(await takeAnswer(file, { session: "S", task, answer: text })).again;
  };
  const statusOf = async (id: string): Promise<string | undefined> =>
    (await state()).atoms.find((one) => one.id === id)?.status;

  test("success resolves its atom and binds it; a failure is one, with its reason; a split is one", async () => {
    await enter();
    const [one, two] = [await started("A1"), await started("A2")];
    expect(await says(one, { success: true, summary: "did it", artifacts: ["a.ts"] })).toBe(null);
    expect(await says(two, { success: false, summary: "the disk is round" })).toBe(null);
    const { atoms } = await state();
    expect(atoms[0]).toMatchObject({ status: "resolved", binding: { summary: "did it", artifacts: ["a.ts"] } });
    expect(recallLoop(file).memory.nogoods).toMatchObject([{ attempt: "A2.1", reason: "the disk is round" }]);
    expect(await stop()).toMatchObject({ work: [{ atom: "A2", attempt: "A2.2" }] });
    const children = [{ description: "a part" }, { id: "A2y", description: "the rest" }];
    expect(await says(await started("A2"), { split: children, reason: "too large" })).toBe(null);
    expect(await stop()).toMatchObject({ kind: "work", work: [{}, {}] });
    expect(await statusOf("A2y")).toBe("in_progress");
  });

  test("SESSION-ANSWERS-2: an answer counts once, for its own attempt, and as long as that is open", async () => {
    await enter();
    const first = await started("A1");
    await started("A2");
    expect(await says("another task", SUCCESS)).toBe(null);
    expect(await statusOf("A1")).toBe("in_progress");
    expect(await says(first, { success: false, summary: "no" })).toBe(null);
    expect(await says(first, SUCCESS)).toBe(null);
    expect(await statusOf("A1")).toBe("pending");
    await stop();
    expect(await says(first, SUCCESS)).toBe(null);
    expect(await statusOf("A1")).toBe("in_progress");
    expect(valueOf(await takeAnswer(file, { session: "other", task: first, answer: SUCCESS })).again).toBe(null);
  });

  test("SESSION-ANSWERS-3: what cannot be read is asked for once more, then it is a failure", async () => {
    await enter();
    const [one, two] = [await started("A1"), await started("A2")];
    expect(await says(one, "All done!")).toContain("no JSON object");
    expect(await says(one, SUCCESS)).toBe(null);
    expect(await statusOf("A1")).toBe("resolved");
    expect(await says(two, { success: "yes", summary: "" })).toContain("success");
    expect(await says(two, "I told you")).toBe(null);
    expect(recallLoop(file).memory.nogoods).toMatchObject([{ attempt: "A2.1" }]);
  });

  test("a probe's findings reach the worker; an obstacle is a failure", async () => {
    use(loop([atom("A1", "", "\n    probe: true"), atom("A2", "", "\n    probe: true")].join("\n")));
    await enter();
    await says(await started("A1", "probe"), { feasible: true, findings: "use the side door" });
    await says(await started("A2", "probe"), { feasible: false, findings: "there is a wall" });
    expect(valueOf(await openWork(file, "S"))).toMatchObject({ work: [], started: [] });
    expect(recallLoop(file).memory.nogoods).toMatchObject([{ attempt: "A2.1", reason: "there is a wall" }]);
    expect(await stop()).toMatchObject({ work: [{ atom: "A1", role: "worker" }, { atom: "A2" }] });
    expect(await started("A1")).toContain("use the side door");
  });

  test("nobody in the session says that an atom is resolved; a main thread that does the work itself does", async () => {
    await enter();
    await started("A1");
    const said = (id: string): Promise<object | null> => reportRefusal(file, id, { CLAUDE_CODE_SESSION_ID: "S" });
    expect([await said("A1"), await said("A2")]).toMatchObject([{ ok: false }, { ok: false }]);
    expect(await reportRefusal(file, "A1", {})).toBe(null);
    valueOf(await enterLoop(file, { session: "S", mode: "main" }, never));
    expect(await said("A1")).toBe(null);
    expect(await said("A3")).toMatchObject({ problems: [{ message: "A3 was not handed out in iteration 2" }] });
    valueOf(await launchAttempt(file, { session: "S", by: null, role: "worker", description: "A1: x" }));
    expect(await said("A1")).toMatchObject({ ok: false });
  });

  test("a session from which the loop was taken over reports nothing for it any more", async () => {
    await enter();
    valueOf(await enterLoop(file, { session: "T", mode: "agent", take_over: true }, never));
    expect(await foreignRefusal(file, { CLAUDE_CODE_SESSION_ID: "S" })).toMatchObject({ ok: false });
    expect(await reportRefusal(file, "A1", { CLAUDE_CODE_SESSION_ID: "S" })).toMatchObject({ ok: false });
    expect(await foreignRefusal(file, { CLAUDE_CODE_SESSION_ID: "T" })).toBe(null);
    expect(await foreignRefusal(file, {})).toBe(null);
  });

  test("a coordinator that was replaced in its own session has no say, although it wakes again", async () => {
    await enter();
    valueOf(await adoptCoordinator(file, "S", "c1"));
    valueOf(await enterLoop(file, { session: "S", mode: "agent", take_over: true }, never));
    expect(await adoptCoordinator(file, "S", "c1")).toMatchObject({ ok: false });
    valueOf(await adoptCoordinator(file, "S", "c2"));
    expect(await stop("c1")).toMatchObject({ kind: "untouched" });
    expect(await stop("c2")).toMatchObject({ kind: "work", iteration: 3 });
  });

  test("SESSION-5: a refused entry leaves how it halted to be told, or that it is being redirected", async () => {
    for (const phase of ["halted", "interrupted"]) {
      use(loop(atom("A1")));
      const check = `type: command, value: "echo >> ${file}; false"`;
      writeFileSync(file, readFileSync(file, "utf8").replace('type: file, value: "done.txt"', check));
      await enter();
      valueOf(await (phase === "halted" ? stopLoop(file, "enough") : interruptSession(file, "S")));
      await stop();
      await resolve("A1");
      expect(await enterLoop(file, { session: "S", mode: "agent" }, never)).toMatchObject({ ok: false });
      expect(readFileSync(sessionFiles(file).mark, "utf8")).toBe(`1 ${phase} S\n`);
    }
  });

  test("SESSION-5: how it halted is kept until the main thread stops, and told once", async () => {
    await enter();
    valueOf(await stopLoop(file, "enough"));
    const end = await stop();
    expect(end).toMatchObject({ kind: "halted", outcome: "stop_requested" });
    expect(readFileSync(sessionFiles(file).mark, "utf8")).toBe("1 halted S\n");
    expect(haltedIn(file, "S")).toEqual(end);
    expect(haltedIn(file, "T")).toBe(null);
    expect(await stop("c1")).toEqual({ kind: "untouched" });
    expect(await stop(null)).toEqual(end);
    expect(await stop(null)).toEqual({ kind: "untouched" });
    expect([haltedIn(file, "S"), existsSync(sessionFiles(file).mark)]).toEqual([null, false]);
  });
});

describe("SPEC 6: what a machine cannot decide is asked for once, and the verdict is computed", () => {
  const quality = '{ type: quality, criteria: "good", pass_threshold: 3 }';
  const scores = (score: number): string => JSON.stringify({ "it is there": { good: { score, reason: "a.ts:1" } } });

  async function allResolved(): Promise<void> {
    use(loop(atom("A1"), quality));
    await enter();
    await resolve("A1");
    expect(await stop()).toEqual({ kind: "judge", items: ["it is there"] });
    expect((await state()).control).toMatchObject({ iteration: 1, status: "running" });
  }
  test("scores that pass complete it", async () => {
    await allResolved();
    const reported = await recordScores(file, "S", scores(4));
    expect(reported).toMatchObject({ ok: true });
    expect(await stop()).toMatchObject({ kind: "halted", outcome: "verified" });
  });
  test("scores that do not pass become work", async () => {
    await allResolved();
    valueOf(await recordScores(file, "S", scores(1)));
    expect(await stop()).toMatchObject({ kind: "work", failing: [expect.stringContaining("good: 1 of 5. a.ts:1")] });
  });
  test("no word is no verdict", async () => {
    await allResolved();
    expect(await recordScores(file, "S", '{"other": 1}')).toMatchObject({ ok: false });
    expect(await stop()).toMatchObject({ kind: "halted", outcome: "needs_confirmation" });
  });
});
