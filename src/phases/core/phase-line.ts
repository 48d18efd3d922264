/** What a line of a phase loop's journal says (SPEC sections 8 and 11), read by the rules of `core/decode-line.ts`. */
import {
  amount,
  fitLine,
  flag,
  oneOf,
  tableOf,
  text,
  textIfAny,
  textOrNull,
  texts,
  yes,
  type Fields,
} from "../../core/decode-line.ts";
import type { AnyLine } from "../../core/journal-line.ts";
import { EXIT_CODES, type Outcome } from "../../core/state.ts";
import type { Action } from "./action.ts";

type ActionEntry<A> = A extends { readonly type: infer K }
  ? Omit<A, "type"> & {
      readonly event: K;
      /** A person's name. */
      readonly who?: string;
    }
  : never;

type PhaseMark =
  | { readonly event: "phases_begun"; readonly mode: string }
  | { readonly event: "phases_run" }
  | {
      readonly event: "phases_halted";
      readonly message: string;
      /** Absent: it broke off. */
      readonly outcome?: Outcome;
    }
  /** A loop works a phase: it is made, it is run. */
  | { readonly event: "phase_work"; readonly phase: string; readonly file: string }
  | { readonly event: "phase_worked"; readonly phase: string; readonly file: string }
  | {
      readonly event: "gate_looked_at";
      readonly gate: string;
      readonly passed: boolean;
      readonly reason: string | null;
      readonly cost_usd: number;
      readonly tokens: number;
      readonly duration_ms: number;
    };

type PhaseEntry = ActionEntry<Action> | PhaseMark;
type PhaseEvent = PhaseEntry["event"];

export type PhaseLine = {
  /** ISO 8601. */
  readonly time: string;
  readonly run: string;
} & PhaseEntry;

export type PhaseLineOf<E extends PhaseEvent> = Extract<PhaseLine, { readonly event: E }>;

const WHO = { who: textIfAny };
const spent = (value: unknown): number => Math.max(0, amount(value));

const KINDS: { readonly [E in PhaseEvent]: Fields<Extract<PhaseEntry, { readonly event: E }>> } = {
  phases_begun: { mode: text },
  phases_run: {},
  phases_halted: {
    message: text,
    outcome: (value) =>
      typeof value === "string" && Object.hasOwn(EXIT_CODES, value) ? (value as Outcome) : undefined,
  },
  phase_work: { phase: text, file: text },
  phase_worked: { phase: text, file: text },
  gate_looked_at: { gate: text, passed: flag, reason: textOrNull, cost_usd: spent, tokens: spent, duration_ms: spent },

  start_phase: { ...WHO, phase: text },
  complete_phase: { ...WHO, phase: text, deliverables: texts },
  fail_phase: { ...WHO, phase: text, reason: text },
  skip_phase: { ...WHO, phase: text, reason: textOrNull },
  pass_gate: { ...WHO, gate: text, by: oneOf(["person", "check"], "person") },
  fail_gate: { ...WHO, gate: text, reason: text },
  retry_gate: { ...WHO, gate: text },
  skip_gate: { ...WHO, gate: text, reason: textOrNull },
  pause: WHO,
  resume: { ...WHO, reopen: (value) => (value === "retry" || value === "restart" ? value : undefined) },
  fail_loop: { ...WHO, reason: text },
  count: { ...WHO, metric: text, value: amount, by: yes },
};
const TABLE = tableOf(KINDS);

/** A line that was read. Null: it is of another kind. */
export function phaseLine(line: AnyLine): PhaseLine | null {
  return (fitLine(TABLE, line) ?? null) as PhaseLine | null;
}
