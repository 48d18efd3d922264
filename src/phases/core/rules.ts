/**
 * The eleven validation rules (seed phase-state-schema, "Validation Rules").
 *
 * Rules 1 to 7 are about every state. Rules 8 to 11 say how a loop begins; of a loop that has moved on they say what
 * can have become of such a beginning: a status that no sequence of transitions leads to breaks the rule about it.
 */
import { nearest } from "../../core/nearest.ts";
import type { LoopDefinition } from "./definition.ts";
import { blockerOfGate, blockerOfPhase, currentPhase, gateIn, isDone, phaseIn } from "./sequence.ts";
import { isOver, type GateState, type PhaseLoop, type PhaseState } from "./state.ts";
import type { Action } from "./action.ts";
import { apply } from "./apply.ts";

export const RULES = {
  1: "every phase of the definition appears in the state",
  2: "every gate of the definition appears in the state",
  3: "phase names in the state are those of the definition, letter by letter",
  4: "gate ids in the state are those of the definition, letter by letter",
  5: "the deliverables of each gate are those of the definition",
  6: "the skills of each phase are those of the definition",
  7: "time stamps are ISO 8601",
  8: 'the loop begins "active", and is complete exactly when nothing is left',
  9: "the loop begins at the first phase; its phase is the one in progress or the next",
  10: 'gates begin "pending", and are decided in their turn',
  11: 'phases begin "pending", the first one "active", and are worked in their order',
} as const;
export type Rule = keyof typeof RULES;

export interface Breach {
  readonly rule: Rule;
  /** Keys from the root of the state. */
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** Every breach, by rule. Empty: the state is one that this definition can come to. */
export function breachesOf(definition: LoopDefinition, loop: PhaseLoop): readonly Breach[] {
  return [
    ...missing(1, "phases", definition.phases.map(nameOf), loop.phases.map(nameOf)),
    ...missing(2, "gates", definition.gates.map(idOf), loop.gates.map(idOf)),
    ...foreign(3, "phases", definition.phases.map(nameOf), loop.phases.map(nameOf)),
    ...foreign(4, "gates", definition.gates.map(idOf), loop.gates.map(idOf)),
    ...differing(definition, loop),
    ...badTimes(loop),
    ...loopBreaches(loop),
    ...loop.gates.flatMap((gate) => gateBreaches(definition, loop, gate)),
    ...phaseBreaches(definition, loop),
  ].toSorted((a, b) => a.rule - b.rule);
}

const nameOf = (phase: { readonly name: string }): string => phase.name;
const idOf = (gate: { readonly id: string }): string => gate.id;

// ── 1 to 4: the same names ──────────────────────────────────────────────────

const oneOf = (key: "phases" | "gates"): string => key.slice(0, -1);

function missing(rule: Rule, key: "phases" | "gates", wanted: readonly string[], there: readonly string[]): Breach[] {
  return wanted
    .filter((name) => !there.includes(name))
    .map((name) => ({
      rule,
      path: [key],
      message: `the ${oneOf(key)} ${JSON.stringify(name)} of the definition is not in the state`,
      hint: there.length === 0 ? "add it" : nearest(name, there),
    }));
}

function foreign(rule: Rule, key: "phases" | "gates", wanted: readonly string[], there: readonly string[]): Breach[] {
  return there
    .filter((name) => !wanted.includes(name))
    .map((name) => ({
      rule,
      path: [key, name],
      message: `the definition has no ${oneOf(key)} ${JSON.stringify(name)}`,
      hint: wanted.length === 0 ? "remove it" : nearest(name, wanted),
    }));
}

// ── 5 and 6: the same lists ─────────────────────────────────────────────────

function differing(definition: LoopDefinition, loop: PhaseLoop): Breach[] {
  const gates = definition.gates.flatMap((gate) =>
    difference(5, ["gates", gate.id, "deliverables"], gate.deliverables, gateIn(loop, gate.id)?.deliverables),
  );
  const phases = definition.phases.flatMap((phase) =>
    difference(6, ["phases", phase.name, "skills"], phase.skills.map(idOf), phaseIn(loop, phase.name)?.skills),
  );
  return [...gates, ...phases];
}

function difference(
  rule: Rule,
  path: readonly string[],
  wanted: readonly string[],
  there: readonly string[] | undefined,
): Breach[] {
  if (there === undefined || JSON.stringify(there) === JSON.stringify(wanted)) return [];
  const [list, name, key] = path;
  const message = `${key} of ${list === "gates" ? "the gate" : "the phase"} ${name} are not those of the definition`;
  return [{ rule, path, message, hint: `the definition says ${JSON.stringify(wanted)}` }];
}

// ── 7: times ────────────────────────────────────────────────────────────────

function badTimes(loop: PhaseLoop): Breach[] {
  const times: readonly (readonly [readonly string[], string | null])[] = [
    [["started_at"], loop.started_at],
    [["last_updated"], loop.last_updated],
    ...loop.gates.map((gate) => [["gates", gate.id, "passedAt"], gate.passedAt] as const),
    ...loop.phases.map((phase) => [["phases", phase.name, "startedAt"], phase.startedAt] as const),
    ...loop.phases.map((phase) => [["phases", phase.name, "completedAt"], phase.completedAt] as const),
  ];
  return times
    .filter(([, time]) => time !== null && !isIsoTime(time))
    .map(([path, time]) => ({
      rule: 7,
      path,
      message: `${JSON.stringify(time)} is no ISO 8601 time`,
      hint: "write it as 2026-01-31T12:00:00.000Z",
    }));
}

// ── 8 to 11: a state that transitions lead to ───────────────────────────────

/** Nothing has happened to it yet. */
function isFresh(loop: PhaseLoop): boolean {
  return loop.started_at === loop.last_updated;
}

function loopBreaches(loop: PhaseLoop): Breach[] {
  const found: Breach[] = [];
  if (isFresh(loop) && loop.status !== "active")
    found.push(
      breach(8, ["status"], `the loop is ${loop.status} before anything happened`, 'a loop begins as "active"'),
    );
  else if ((loop.status === "complete") !== isDone(loop) && !(loop.status === "failed" || loop.status === "paused"))
    found.push(
      loop.status === "complete"
        ? breach(8, ["status"], "the loop is complete, and something is left", "finish what is left first")
        : breach(8, ["status"], `nothing is left, and the loop is ${loop.status}`, 'it is "complete"'),
    );
  const phase = currentPhase(loop)?.name ?? loop.phases.at(-1)?.name;
  if (phase !== undefined && loop.phase !== phase)
    found.push(breach(9, ["phase"], `the loop is at ${phase}, not at ${JSON.stringify(loop.phase)}`, `write ${phase}`));
  return found;
}

function gateBreaches(definition: LoopDefinition, loop: PhaseLoop, gate: GateState): Breach[] {
  const path = ["gates", gate.id];
  const found: Breach[] = [];
  if (gate.status !== "pending" && blockerOfGate(definition, loop, gate.id) !== null)
    found.push(
      breach(
        10,
        [...path, "status"],
        `the gate ${gate.id} is ${gate.status} before its turn`,
        'until then it is "pending"',
      ),
    );
  if ((gate.status === "passed") !== (gate.passedAt !== null))
    found.push(
      gate.status === "passed"
        ? breach(10, [...path, "passedAt"], `the gate ${gate.id} is passed, and nothing says when`, "write the time")
        : breach(
            10,
            [...path, "passedAt"],
            `the gate ${gate.id} is ${gate.status}, and has a time of passing`,
            "write null",
          ),
    );
  const reason = (gate.skippedReason ?? "").trim();
  if (gate.status === "skipped" && gate.required && reason === "")
    found.push(
      breach(10, [...path, "skippedReason"], `the required gate ${gate.id} is skipped without a reason`, "write it"),
    );
  if (gate.status !== "skipped" && gate.skippedReason !== null)
    found.push(
      breach(
        10,
        [...path, "skippedReason"],
        `the gate ${gate.id} is ${gate.status}, and has a reason of skipping`,
        "write null",
      ),
    );
  return found;
}

function phaseBreaches(definition: LoopDefinition, loop: PhaseLoop): Breach[] {
  const [first] = loop.phases;
  const fresh =
    isFresh(loop) && first?.status === "pending"
      ? [
          breach(
            11,
            ["phases", first.name, "status"],
            `the first phase, ${first.name}, does not begin as active`,
            'write "active"',
          ),
        ]
      : [];
  const active = loop.phases.filter((phase) => phase.status === "active");
  const several = active
    .slice(1)
    .map(({ name }) =>
      breach(
        11,
        ["phases", name, "status"],
        `${active[0]?.name} and ${name} are both active`,
        "one phase is worked at a time",
      ),
    );
  return [...fresh, ...several, ...loop.phases.flatMap((phase) => orderBreaches(definition, loop, phase))];
}

function orderBreaches(definition: LoopDefinition, loop: PhaseLoop, phase: PhaseState): Breach[] {
  const { name, status } = phase;
  const at = ["phases", name];
  const found: Breach[] = [];
  const begun = status === "active" || status === "complete";
  if (begun && blockerOfPhase(definition, loop, name) !== null)
    found.push(
      breach(11, [...at, "status"], `the phase ${name} is ${status} before its turn`, 'until then it is "pending"'),
    );
  if (status === "skipped" && phase.required)
    found.push(breach(11, [...at, "status"], `the required phase ${name} is skipped`, "a required phase is worked"));
  if ((status === "complete") !== (phase.completedAt !== null))
    found.push(
      breach(
        11,
        [...at, "completedAt"],
        isOver(phase) && status === "complete"
          ? `the phase ${name} is complete, and nothing says when`
          : `the phase ${name} is ${status}, and has a time of completion`,
        status === "complete" ? "write the time" : "write null",
      ),
    );
  if (!begun && phase.startedAt !== null)
    found.push(
      breach(11, [...at, "startedAt"], `the phase ${name} is ${status}, and has a time of its start`, "write null"),
    );
  return found;
}

function breach(rule: Rule, path: readonly string[], message: string, hint: string): Breach {
  return { rule, path, message, hint };
}

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:Z|[+-](\d{2}):?(\d{2})))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isIsoTime(text: string): boolean {
  const found = FORM.exec(text);
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0, rest = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  const inDay = (hour < 24 && minute < 60 && second <= 60) || (hour === 24 && minute === 0 && second === 0);
  return day >= 1 && day <= (DAYS[month - 1] ?? 0) + leap && inDay && offset < 24 && rest < 60;
}

/** The actions that would be accepted now; counting, which always is on an active loop, is left out. */
export function allowedActions(definition: LoopDefinition, loop: PhaseLoop): readonly Action[] {
  return candidates(loop).filter((action) => apply(definition, loop, action, loop.last_updated).ok);
}

function candidates(loop: PhaseLoop): readonly Action[] {
  const reason = "why";
  return [
    ...loop.phases.flatMap(({ name: phase }): Action[] => [
      { type: "start_phase", phase },
      { type: "complete_phase", phase, deliverables: [] },
      { type: "fail_phase", phase, reason },
      { type: "skip_phase", phase, reason: null },
    ]),
    ...loop.gates.flatMap(({ id: gate, required }): Action[] => [
      { type: "pass_gate", gate, by: "person" },
      { type: "fail_gate", gate, reason },
      { type: "retry_gate", gate },
      { type: "skip_gate", gate, reason: required ? reason : null },
    ]),
    { type: "pause" },
    { type: "resume" },
    { type: "resume", reopen: "retry" },
    { type: "resume", reopen: "restart" },
    { type: "fail_loop", reason },
  ];
}
