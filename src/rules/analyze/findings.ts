/**
 * Occurrences of all sessions, those of the same rule put together (SPEC section 12).
 *
 * FINDINGS-1 memory is bounded: MOST_FINDINGS rules, of each a few quotes, and MOST_CALLS calls in all; what found no
 *    space is counted;
 * FINDINGS-2 the same words are not counted twice, though a resumed session repeats its history.
 */
import { describeCall, type Position } from "./past-call.ts";
import { proposalFor, type Proposal } from "./proposal.ts";
import { SURE, type FindingKind, type Occurrence, type Quote } from "./session.ts";

export type Severity = "high" | "medium" | "low";

export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly tool: string;
  /** What the agent did, in one line. */
  readonly what: string;
  /** The first ones, with what each is about. */
  readonly quotes: readonly (Quote & { readonly call: Position })[];
  readonly occurrences: number;
  /** Ids of the calls that it is about. */
  readonly calls: ReadonlySet<string>;
  /** Null: no pattern separates such calls from good ones. */
  readonly rule: Proposal | null;
  /** 0 to 1: how sure the words are, before any replay. */
  readonly score: number;
  /** A person's words, less sure than SURE: shown apart. */
  readonly doubtful: boolean;
}

/** What became of the past calls with the rule. */
export interface Replay {
  readonly tried: number;
  /** Of those that the finding is about. */
  readonly caught: number;
  /** Caught too, though nobody complained. */
  readonly harmless: number;
}

export interface Findings {
  add(occurrence: Occurrence): void;
  /** The most severe and surest first; no two rules have the same name. */
  list(): readonly Finding[];
  readonly left_out: number;
}

const MOST_FINDINGS = 400;
const MOST_CALLS = 50_000;
const MOST_QUOTES = 5;
/** So often a call has to fail in the same way to be a repeated mistake. */
const REPEATED = 3;
const SEVERITIES: readonly Severity[] = ["high", "medium", "low"];

interface Collected {
  readonly first: Occurrence;
  readonly rule: Proposal | null;
  readonly quotes: (Quote & { readonly call: Position })[];
  readonly calls: Set<string>;
  kind: FindingKind;
  score: number;
  count: number;
  dangerous: boolean;
}

export function createFindings(): Findings {
  const collected = new Map<string, Collected>();
  let leftOut = 0;
  let calls = 0;
  return {
    add(occurrence) {
      const rule = proposalFor(occurrence);
      const key = keyOf(occurrence, rule);
      const known = collected.get(key);
      if (known?.calls.has(occurrence.call.id) === true) return;
      if (calls >= MOST_CALLS || (known === undefined && collected.size >= MOST_FINDINGS)) {
        leftOut++;
        return;
      }
      calls++;
      if (known !== undefined) return join(known, occurrence);
      const { kind, score, call } = occurrence;
      const made: Collected = {
        first: occurrence,
        rule,
        quotes: [],
        calls: new Set(),
        kind,
        score,
        count: 0,
        dangerous: call.dangerous,
      };
      collected.set(key, made);
      join(made, occurrence);
    },
    list: () => named([...collected.values()].filter(isEnough).map(findingOf).sort(byWeight)),
    get left_out() {
      return leftOut;
    },
  };
}

function keyOf({ misuse, call, kind }: Occurrence, rule: Proposal | null): string {
  if (misuse !== null) return `misuse ${misuse.key}`;
  return rule === null ? `${kind} ${call.id}` : JSON.stringify([rule.event, rule.conditions]);
}

function join(known: Collected, { call, quote, kind, score }: Occurrence): void {
  known.calls.add(call.id);
  if (known.quotes.length < MOST_QUOTES) known.quotes.push({ ...quote, call: call.at });
  known.count++;
  known.dangerous ||= call.dangerous;
  if (score > known.score || (kind === "frustration" && known.kind === "correction")) known.kind = kind;
  known.score = Math.max(known.score, score);
}

function isEnough({ kind, count }: Collected): boolean {
  return kind !== "repeated" || count >= REPEATED;
}

function findingOf(collected: Collected): Finding {
  const { first, rule, kind, quotes, calls, count, score } = collected;
  const many = count > 1 ? `, and ${count - 1} more like it` : "";
  return {
    kind,
    severity: severityOf(collected),
    tool: first.call.tool,
    what: `${describeCall(first.call)}${many}`,
    quotes,
    occurrences: count,
    calls,
    rule,
    score,
    doubtful: first.by === "person" && score < SURE,
  };
}

function severityOf({ first, kind, count, dangerous }: Collected): Severity {
  if (first.by !== "person") return "low";
  return dangerous || (kind === "frustration" && count > 1) || count > 3 ? "high" : "medium";
}

function byWeight(one: Finding, other: Finding): number {
  return (
    Number(one.doubtful) - Number(other.doubtful) ||
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    other.occurrences - one.occurrences ||
    other.score - one.score
  );
}

function named(findings: readonly Finding[]): readonly Finding[] {
  const taken = new Set<string>();
  return findings.map((finding) => {
    if (finding.rule === null) return finding;
    let name = finding.rule.name;
    for (let number = 2; taken.has(name); number++) name = `${finding.rule.name}-${number}`;
    taken.add(name);
    return { ...finding, rule: { ...finding.rule, name } };
  });
}

const MORE = 0.05;
const HARMLESS = 0.4;

/**
 * How sure it is that the rule is wanted, 0 to 1 with two decimals: the words, how often they came, and how many calls the
 * rule would have caught that nobody complained about.
 */
export function confidenceOf({ score, occurrences }: Finding, replay: Replay): number {
  const often = Math.min(3, occurrences - 1) * MORE;
  const all = replay.caught + replay.harmless;
  const wide = all === 0 ? 1 : 1 - (HARMLESS * replay.harmless) / all;
  return Math.round(Math.min(0.99, (score + often) * wide) * 100) / 100;
}
