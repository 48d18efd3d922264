/** A gate whose turn has come, in a run of a phase loop: looked at where a program may, then settled or left to a person. */
import type { Check } from "../core/state.ts";
import { commandOf, type Action } from "./core/action.ts";
import type { Gate } from "./core/definition.ts";
import { gateMove, isLookedAt, type GateLook, type GateMove } from "./core/gate-move.ts";
import { tokensOf } from "../core/loop.ts";
import { systemClock } from "../project/clock.ts";
import { briefText } from "../loop/brief.ts";
import { readHistory, readTask } from "./file.ts";
import { judgeLeft, spentBy, spentUp } from "./phase-budget.ts";
import { absentFiles } from "./phase-files.ts";
import { gateBaseCase, lookAtGate } from "./phase-gate.ts";
import { act, halted, spent, tellJournal, type Halt, type PhaseRun } from "./phase-run.ts";
import type { ReadPhases } from "./answer.ts";
import type { NoRun } from "../run/options.ts";

/** Null: it is settled, or its phase is sent back. */
export async function settleGate(run: PhaseRun, read: ReadPhases, id: string): Promise<Halt | NoRun | null> {
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
