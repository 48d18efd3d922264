/**
 * What the journal of a phase loop remembers, beside its state: which loop works which phase, why work was sent back,
 * who answered which gate, what looking at gates cost (SPEC sections 8 and 11). Pure.
 *
 * H1 the state alone is enough to go on: without the journal a phase is worked anew;
 * H2 lines of an unknown kind are passed over, and fields that are not as expected are taken for absent.
 */
import type { AnyLine } from "../core/journal-line.ts";
import type { LoopDefinition } from "./definition.ts";

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
  /** Why the newest run came to rest; null: none did, or it is at work. */
  readonly last_halt: string | null;
  /** Of looking at gates. */
  readonly cost_usd: number;
  readonly tokens: number;
  readonly active_ms: number;
}

/** Run id of what a person or a tool did without a run. */
const BY_HAND = "by hand";
const MOST_LESSONS = 6;
const MOST_ANSWERS = 200;

/** @param lines of the journal, oldest first */
export function historyOf(definition: LoopDefinition, lines: Iterable<AnyLine>): PhaseHistory {
  let fold = blank();
  for (const line of lines) {
    if (line["event"] === "phases_begun" || (line["event"] === "resume" && line["reopen"] === "restart"))
      fold = blank();
    else readLine(definition, fold, line);
  }
  return fold;
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

function readLine(definition: LoopDefinition, fold: Fold, line: AnyLine): void {
  const phase = text(line["phase"]);
  const gate = text(line["gate"]);
  if (gate !== "" && line["run"] === BY_HAND) fold.sent_back.delete(gate);
  switch (line["event"]) {
    case "phase_work": {
      const work = { phase, file: text(line["file"]) };
      fold.works.set(phase, work);
      if (!fold.all_works.some(({ file }) => file === work.file)) fold.all_works.push(work);
      return;
    }
    case "fail_phase":
      learn(fold, phase, { from: `phase ${phase}`, reason: text(line["reason"]) });
      return;
    case "fail_loop":
      fold.last_failure = text(line["reason"]);
      return;
    case "fail_gate": {
      const after = definition.gates.find(({ id }) => id === gate)?.after ?? "";
      learn(fold, after, { from: `gate ${gate}`, reason: text(line["reason"]) });
      if (line["run"] !== BY_HAND) fold.sent_back.set(gate, (fold.sent_back.get(gate) ?? 0) + 1);
      return answered(fold, gate, "failed", line);
    }
    case "pass_gate":
      return answered(fold, gate, "passed", line);
    case "skip_gate":
      return answered(fold, gate, "skipped", line);
    case "retry_gate":
      return answered(fold, gate, "retried", line);
    case "gate_looked_at":
      fold.cost_usd += amount(line["cost_usd"]);
      fold.tokens += amount(line["tokens"]);
      fold.active_ms += amount(line["duration_ms"]);
      return;
    case "phases_run":
      fold.last_halt = null;
      return;
    case "phases_halted":
      // Whoever runs it again is a person.
      fold.sent_back.clear();
      fold.last_halt = text(line["message"]) || null;
      return;
  }
}

function learn(fold: Fold, phase: string, lesson: Lesson): void {
  fold.last_failure = lesson.reason;
  fold.lessons.set(phase, [...(fold.lessons.get(phase) ?? []), lesson].slice(-MOST_LESSONS));
  fold.works.delete(phase);
}

function answered(fold: Fold, gate: string, answer: GateAnswer["answer"], line: AnyLine): void {
  const reason = text(line["reason"]);
  const who = text(line["who"]) || (line["by"] === "check" ? "check" : line["run"] === BY_HAND ? "a person" : "check");
  // A run takes a failed gate up again once its phase was worked: that is nobody's answer.
  if (answer === "retried" && line["run"] !== BY_HAND) return;
  fold.answers.push({ gate, answer, who, when: text(line["time"]), reason: reason === "" ? null : reason });
  if (fold.answers.length > MOST_ANSWERS) fold.answers.shift();
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
