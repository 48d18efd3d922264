/**
 * What the journal of a phase loop remembers, beside its state: which loop works which phase, why work was sent back,
 * who answered which gate, what looking at gates cost (SPEC sections 8 and 11). Pure.
 *
 * HISTORY-1 the state alone is enough to go on: without the journal a phase is worked anew;
 * HISTORY-2 lines of an unknown kind are passed over, and fields that are not as expected are taken for absent
 *    (phase-line.ts).
 */
import { foldLines, type Projection } from "../../core/fold-journal.ts";
import { BY_HAND } from "../../core/journal-line.ts";
import type { LoopDefinition } from "./definition.ts";
import { phaseLine, type PhaseLine } from "./phase-line.ts";

/** Why a phase was sent back. */
export interface Lesson {
  /** "gate plan-gate", "phase PLAN". */
  readonly from: string;
  readonly reason: string;
}

/** The AoT loop that works a phase. */
export interface PhaseWork {
  readonly phase: string;
  /** Name of its state file, in the phase loop's folder. */
  readonly file: string;
}

export interface GateAnswer {
  readonly gate: string;
  readonly answer: "passed" | "failed" | "skipped" | "retried";
  /** A person's name, or "check". */
  readonly who: string;
  /** ISO 8601. */
  readonly when: string;
  readonly reason: string | null;
}

export interface PhaseHistory {
  /** Of each phase that is being worked, or was completed by it: the loop that does. */
  readonly works: ReadonlyMap<string, PhaseWork>;
  /** Every loop that worked a phase since this one began, oldest first: their fuel is spent. */
  readonly all_works: readonly PhaseWork[];
  readonly lessons: ReadonlyMap<string, readonly Lesson[]>;
  /** How often a gate's checks sent its phase back since a person last spoke. */
  readonly sent_back: ReadonlyMap<string, number>;
  readonly answers: readonly GateAnswer[];
  /** Why the loop, or a phase or gate of it, failed last. */
  readonly last_failure: string | null;
  /** Why the newest run came to rest; null: none did, or it is running. */
  readonly last_halt: string | null;
  /** Of looking at gates. */
  readonly cost_usd: number;
  readonly tokens: number;
  readonly active_ms: number;
}

const MOST_LESSONS = 6;
const MOST_ANSWERS = 200;

export function createHistory(definition: LoopDefinition): Projection<PhaseHistory> {
  return foldLines({
    known: phaseLine,
    begins: (line) => line.event === "phases_begun" || (line.event === "resume" && line.reopen === "restart"),
    blank,
    next: (fold, line) => readLine(definition, fold, line),
    answer: (fold): PhaseHistory => fold,
  });
}

type Fold = ReturnType<typeof blank>;

function blank() {
  return {
    works: new Map<string, PhaseWork>(),
    all_works: [] as PhaseWork[],
    lessons: new Map<string, readonly Lesson[]>(),
    sent_back: new Map<string, number>(),
    answers: [] as GateAnswer[],
    last_failure: null as string | null,
    last_halt: null as string | null,
    cost_usd: 0,
    tokens: 0,
    active_ms: 0,
  };
}

function readLine(definition: LoopDefinition, fold: Fold, line: PhaseLine): void {
  if ("gate" in line && line.run === BY_HAND) fold.sent_back.delete(line.gate);
  switch (line.event) {
    case "phase_work": {
      const { phase, file } = line;
      fold.works.set(phase, { phase, file });
      if (!fold.all_works.some((work) => work.file === file)) fold.all_works.push({ phase, file });
      return;
    }
    case "fail_phase":
      return learn(fold, line.phase, { from: `phase ${line.phase}`, reason: line.reason });
    case "fail_loop":
      fold.last_failure = line.reason;
      return;
    case "fail_gate": {
      const { gate, reason } = line;
      const after = definition.gates.find(({ id }) => id === gate)?.after ?? "";
      learn(fold, after, { from: `gate ${gate}`, reason });
      if (line.run !== BY_HAND) fold.sent_back.set(gate, (fold.sent_back.get(gate) ?? 0) + 1);
      return answered(fold, line, "failed");
    }
    case "pass_gate":
      return answered(fold, line, "passed");
    case "skip_gate":
      return answered(fold, line, "skipped");
    case "retry_gate":
      // A run takes a failed gate up again once its phase was worked: that is nobody's answer.
      return line.run === BY_HAND ? answered(fold, line, "retried") : undefined;
    case "gate_looked_at":
      fold.cost_usd += line.cost_usd;
      fold.tokens += line.tokens;
      fold.active_ms += line.duration_ms;
      return;
    case "phases_run":
      fold.last_halt = null;
      return;
    case "phases_halted":
      // Whoever runs it again is a person.
      fold.sent_back.clear();
      fold.last_halt = line.message || null;
      return;
  }
}

function learn(fold: Fold, phase: string, lesson: Lesson): void {
  fold.last_failure = lesson.reason;
  fold.lessons.set(phase, [...(fold.lessons.get(phase) ?? []), lesson].slice(-MOST_LESSONS));
  fold.works.delete(phase);
}

type GateLine = Extract<PhaseLine, { readonly event: "pass_gate" | "fail_gate" | "skip_gate" | "retry_gate" }>;

function answered(fold: Fold, line: GateLine, answer: GateAnswer["answer"]): void {
  const { gate, time: when, run } = line;
  const isCheck = ("by" in line && line.by === "check") || run !== BY_HAND;
  const reason = ("reason" in line ? line.reason : null) || null;
  fold.answers.push({ gate, answer, who: line.who || (isCheck ? "check" : "a person"), when, reason });
  if (fold.answers.length > MOST_ANSWERS) fold.answers.shift();
}
