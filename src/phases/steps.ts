/** The steps of a run of a phase loop, one after the other, each asked of the state file (see run.ts). */
import { refused } from "../core/problem.ts";
import { commandOf, type Action } from "./core/action.ts";
import { deliverablesOf, gatesAfter, type LoopDefinition, type Gate } from "./core/definition.ts";
import { nextStep, type NextStep } from "./core/next-step.ts";
import { presentFiles, absentFiles } from "./phase-obstacles.ts";
import { readHistory, readTask } from "./file.ts";
import { act, halted, spent, tellJournal, type Halt, type PhaseRun } from "./phase-run.ts";
import { hasWork, workPhase } from "./work-step.ts";
import { phaseProblems, readPhases, type ReadPhases } from "./answer.ts";
import type { NoRun } from "../run/options.ts";
import type { Check } from "../core/state.ts";
import { gateMove, isLookedAt, type GateLook, type GateMove } from "./core/gate-move.ts";
import { tokensOf } from "../core/loop.ts";
import { systemClock } from "../project/clock.ts";
import { briefText } from "../loop/brief.ts";
import { judgeLeft, spentBy, spentUp } from "./phase-budget.ts";
import { gateBaseCase, lookAtGate } from "./phase-gate.ts";

export async function stepPhases(run: PhaseRun): Promise<Halt | NoRun> {
  for (;;) {
    const stop = run.stopper.reason();
    if (stop !== null) return halted("stop_requested", `stopped: ${stop}`);
    const read = readPhases(run.options.stateFile);
    if (!read.ok) return { ok: false, exit_code: 2, problems: read.problems };
    const problems = phaseProblems(read.value);
    if (problems.length > 0) return { ok: false, exit_code: 2, problems };
    const halt = await take(run, read.value, nextStep(read.value.definition, read.value.loop));
    if (halt !== null) return halt;
  }
}

/** Null: go on. */
async function take(run: PhaseRun, read: ReadPhases, step: NextStep): Promise<Halt | NoRun | null> {
  switch (step.kind) {
    case "complete":
      return halted("verified", `the loop ${read.loop.loop} is complete`);
    case "closed":
      return closed(run, read, step.status);
    case "start":
      return await start(run, read, step.phase.name);
    case "work":
      return await work(run, read, step.phase.name);
    case "gate":
      return await settleGate(run, read, step.gate.id);
    case "rework":
      return await rework(run, read, step.phase.name, step.gate.id);
    case "stuck":
      return stuck(step.gate.id, "the phase before it was skipped: there is no work to do over");
  }
}

function closed(run: PhaseRun, { definition, loop }: ReadPhases, status: "paused" | "failed"): Halt | NoRun {
  if (status === "paused") return halted("stop_requested", `the loop ${loop.loop} is paused`);
  const hint = "to go on from the phase that failed: `aot phases run --retry`";
  const { last_failure } = readHistory(run.options.stateFile, definition);
  const why = last_failure === null ? "" : `: ${last_failure}`;
  return { ok: false, exit_code: 1, problems: refused(`the loop ${loop.loop} has failed${why}`, hint).problems };
}

async function start(run: PhaseRun, read: ReadPhases, phase: string): Promise<NoRun | null> {
  const wanted = phaseNamed(read.definition, phase);
  if (!wanted.required && !hasWork(read.definition, wanted)) {
    run.watch.tell(`phase ${phase} is skipped: it is optional, and there is nothing to work`);
    return await act(run, { type: "skip_phase", phase, reason: "optional, and there is nothing to work" });
  }
  run.watch.tell(`phase ${phase} begins`);
  return await act(run, { type: "start_phase", phase });
}

async function work(run: PhaseRun, read: ReadPhases, phase: string): Promise<Halt | NoRun | null> {
  const wanted = phaseNamed(read.definition, phase);
  const halt = await workPhase(run, read, wanted);
  if (halt !== null) return wanted.required || !isHopeless(halt) ? halt : await without(run, phase, halt);
  const deliverables = await presentFiles(run.options.run.root, deliverablesOf(read.definition, wanted));
  run.watch.tell(`phase ${phase} is complete${deliverables.length === 0 ? "" : `: ${deliverables.join(", ")}`}`);
  const refusal = await act(run, { type: "complete_phase", phase, deliverables });
  for (const { id } of gatesAfter(read.definition, phase).filter((gate) => !gate.required && gate.approval === "human"))
    run.watch.tell(
      `gate ${id} is optional and waits for nobody; ${commandOf({ type: "pass_gate", gate: id, by: "person" })}`,
    );
  return refusal;
}

/** Its work came to nothing, and not for want of anything that a person can give. */
function isHopeless(halt: Halt | NoRun): halt is Halt {
  return halt.ok && ["stalled", "max_iterations", "or_group_exhausted", "deadlock"].includes(halt.outcome);
}

/** An optional phase that cannot be done holds up nothing. */
async function without(run: PhaseRun, phase: string, { message }: Halt): Promise<NoRun | null> {
  const reason = `optional, and given up: ${message}`;
  run.notes.push(`the phase ${phase} was skipped: ${reason}`);
  run.watch.tell(`phase ${phase} is skipped: ${reason}`);
  return (
    (await act(run, { type: "fail_phase", phase, reason: message })) ??
    (await act(run, { type: "skip_phase", phase, reason }))
  );
}

async function rework(run: PhaseRun, read: ReadPhases, phase: string, gate: string): Promise<Halt | NoRun | null> {
  const wanted = phaseNamed(read.definition, phase);
  if (!hasWork(read.definition, wanted)) return stuck(gate, `the phase ${phase} has nothing to work`);
  run.watch.tell(`phase ${phase} is worked once more: the gate ${gate} failed`);
  const halt = await workPhase(run, read, wanted);
  return halt ?? (await act(run, { type: "retry_gate", gate }));
}

function stuck(gate: string, why: string): Halt {
  return {
    ...halted("needs_confirmation", `the gate ${gate} failed, and ${why}`),
    next_step: `put it right by hand, then \`${commandOf({ type: "retry_gate", gate })}\`, or \`${commandOf({ type: "skip_gate", gate, reason: "..." })}\``,
    gate,
    waits: true,
  };
}

function phaseNamed(definition: LoopDefinition, name: string): LoopDefinition["phases"][number] {
  const phase = definition.phases.find((one) => one.name === name);
  if (phase === undefined) throw new Error(`the definition has no phase ${name}, and no rule was broken`);
  return phase;
}

/** Null: it is settled, or its phase is sent back. */
async function settleGate(run: PhaseRun, read: ReadPhases, id: string): Promise<Halt | NoRun | null> {
  const gate = read.definition.gates.find((one) => one.id === id);
  if (gate === undefined) throw new Error(`the definition has no gate ${id}, and no rule was broken`);
  const more = run.options.checks.get(id) ?? [];
  const looked = gate.approval !== "human" && (isLookedAt(gate) || more.length > 0);
  const look = looked ? await lookAt(run, read, gate, more) : null;
  if (look !== null && "ok" in look) return look;
  // What was broken off says nothing.
  if (run.stopper.reason() !== null) return null;
  const tries = readHistory(run.options.stateFile, read.definition).sent_back.get(id) ?? 0;
  return await move(run, gate, gateMove(gate, run.options.autonomy ?? read.definition.autonomy, look, tries));
}

async function lookAt(
  run: PhaseRun,
  read: ReadPhases,
  gate: Gate,
  more: readonly Check[],
): Promise<GateLook | Halt | NoRun> {
  const baseCase = gateBaseCase(gate, more);
  if (baseCase === null) return { passed: true, reason: "" };
  const { options, stopper, watch } = run;
  const { stateFile } = options;
  const used = spentBy(stateFile, readHistory(stateFile, read.definition));
  const over = spentUp(options.run.settings, used);
  if (over !== null) return spent(over);
  watch.tell(`gate ${gate.id} is looked at`);
  const from = systemClock.monotonic();
  const looked = await lookAtGate(
    baseCase,
    { ...options.run, stateFile },
    { ...judgeLeft(options.run.settings, used), brief: briefOf(read, gate, readTask(stateFile)) },
    stopper.signal,
  );
  if (!looked.ok) return looked;
  const { look, usage } = looked;
  const duration_ms = Math.round(systemClock.monotonic() - from);
  const cost = { cost_usd: usage?.cost_usd ?? 0, tokens: tokensOf(usage), duration_ms };
  run.notes.push(...tellJournal(run, { event: "gate_looked_at", gate: gate.id, ...look, ...cost }));
  return look;
}

/** What the gate's judge has to know of the loop. */
function briefOf({ definition: { id, name = id } }: ReadPhases, gate: Gate, task: string): string {
  const background_intent = `A gate of ${name}: ${gate.id}, after the phase ${gate.after}.`;
  return briefText({ goal: task === "" ? name : task, background_intent });
}

async function move(run: PhaseRun, gate: Gate, next: GateMove): Promise<Halt | NoRun | null> {
  const { id } = gate;
  switch (next.kind) {
    case "pass":
      run.watch.tell(`gate ${id} is passed by its checks`);
      return await act(run, { type: "pass_gate", gate: id, by: "check" });
    case "skip":
      run.notes.push(`the gate ${id} was skipped: ${next.reason}`);
      run.watch.tell(`gate ${id} is skipped: ${next.reason}`);
      return await act(run, { type: "skip_gate", gate: id, reason: next.reason });
    case "send_back":
      run.watch.tell(`gate ${id} is failed, and its phase sent back: ${next.reason}`);
      return await act(run, { type: "fail_gate", gate: id, reason: next.reason });
    case "ask": {
      const refusal = next.failed ? await act(run, { type: "fail_gate", gate: id, reason: next.why }) : null;
      return refusal ?? (await asked(run, gate, next));
    }
  }
}

/** What a person can answer at the gate, as it is typed. */
function waysOn(gate: string): Readonly<Record<"approve" | "reject" | "retry" | "skip", string>> {
  const typed = (action: Action): string => `\`${commandOf(action)}\``;
  return {
    approve: typed({ type: "pass_gate", gate, by: "person" }),
    reject: typed({ type: "fail_gate", gate, reason: "..." }),
    retry: typed({ type: "retry_gate", gate }),
    skip: typed({ type: "skip_gate", gate, reason: null }),
  };
}

async function asked(run: PhaseRun, gate: Gate, { why, failed }: Extract<GateMove, { kind: "ask" }>): Promise<Halt> {
  const { id, name, deliverables, criteria } = gate;
  const missing = await absentFiles(run.options.run.root, deliverables);
  const files = deliverables.length === 0 ? "" : ` Look at ${deliverables.join(", ")}.`;
  const wanted = criteria.length === 0 ? "" : ` It is to hold: ${criteria.join("; ")}.`;
  const gone = missing.length === 0 ? "" : ` Not there: ${missing.join(", ")}.`;
  const shown = name === undefined ? id : `${id} (${name})`;
  const ways = waysOn(id);
  const next_step = failed
    ? `\`aot phases run\` works the phase once more with that reason; or put it right by hand and ${ways.retry}`
    : `${ways.approve}, or ${ways.reject} to send it back${gate.required ? "" : `, or ${ways.skip}`}; then \`aot phases run\``;
  const message = failed
    ? `the gate ${shown} failed: ${why}`
    : `the gate ${shown} waits for a human${why === "" ? "" : `: ${why}`}.${wanted}${files}${gone}`;
  return { ...halted("needs_confirmation", message, next_step), gate: id, waits: true };
}
