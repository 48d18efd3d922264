/** The steps of a run of a phase loop, one after the other, each asked of the state file (see phases-run.ts). */
import { refused } from "../core/problem.ts";
import { commandOf } from "./core/action.ts";
import { deliverablesOf, gatesAfter, type LoopDefinition } from "./core/definition.ts";
import { nextStep, type NextStep } from "./core/next-step.ts";
import { presentFiles } from "./phase-files.ts";
import { readHistory } from "./file.ts";
import { act, halted, type Halt, type PhaseRun } from "./phase-run.ts";
import { settleGate } from "./gate-step.ts";
import { hasWork, workPhase } from "./work-step.ts";
import { phaseProblems, readPhases, type ReadPhases } from "./answer.ts";
import type { NoRun } from "../run/options.ts";

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
