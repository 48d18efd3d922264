/**
 * What atoms of past loops took on this machine: agent, kind, counts, time and cost, and nothing of what was worked on. Pure;
 * where it is kept: past-atoms-file.ts.
 */
import type { Atom, State } from "../core/state.ts";
import { toArray } from "../core/vec.ts";
import type { AttemptPart } from "./run-story.ts";

export const ATOM_KINDS = ["code", "tests", "docs", "repair", "probe"] as const;
export type AtomKind = (typeof ATOM_KINDS)[number];

export interface PastAtom {
  /** Tells loops apart. */
  readonly loop: string;
  readonly agent: string;
  readonly kind: AtomKind;
  readonly attempts: number;
  /** Its agents worked. Milliseconds. */
  readonly ms: number;
  /** Null: not reported. */
  readonly cost_usd: number | null;
  /** Absent: it was given up. */
  readonly resolved?: true;
}

/** What kind of work it is, as far as its files and its words say. */
export function kindOf({ description, probe, touches = [] }: Atom): AtomKind {
  if (probe === true) return "probe";
  if (description.startsWith("Make pass: ")) return "repair";
  const about = touches.length > 0 ? touches.join(" ") : description;
  if (/\b(?:tests?|specs?)\b/i.test(about)) return "tests";
  return /\b(?:docs?|readme|documentation|changelog)\b|\.md\b/i.test(about) ? "docs" : "code";
}

/** Of an agent that is a command only that. */
export function shortName(agent: string): string {
  return agent.replace(/^(command|acp|replay):[^]*$/, "$1");
}

/** The atoms that a run resolved or gave up. @param loop tells this one from others */
export function pastAtomsOf(state: State, attempts: readonly AttemptPart[], loop: string): readonly PastAtom[] {
  const failed = new Set(toArray(state.or_groups).flatMap((group) => group.failed));
  const atoms = new Map(toArray(state.atoms).map((atom) => [atom.id, atom]));
  return [...groupedBy(attempts, ({ atom }) => atom)].flatMap(([id, tries]): PastAtom[] => {
    const atom = atoms.get(id);
    const agent = shortName(tries.at(-1)?.agent ?? "");
    const isSettled = atom?.status === "resolved" || failed.has(id);
    if (atom === undefined || !isSettled || agent === "" || tries.some(({ to }) => to === null)) return [];
    const costs = tries.flatMap(({ cost_usd }) => cost_usd ?? []);
    return [
      {
        loop,
        agent,
        kind: kindOf(atom),
        attempts: tries.length,
        ms: tries.reduce((sum, { from, to }) => sum + (to ?? from) - from, 0),
        cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
        ...(atom.status === "resolved" ? { resolved: true } : {}),
      },
    ];
  });
}

export function groupedBy<T>(list: readonly T[], of: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(of(one));
    if (group === undefined) groups.set(of(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** How past atoms of one agent and one kind went. */
export interface PastShare {
  readonly agent: string;
  readonly kind: AtomKind;
  readonly atoms: number;
  readonly resolved: number;
  /** Of one atom, on average. */
  readonly attempts: number;
  readonly ms: number;
  /** Null: not reported. */
  readonly cost_usd: number | null;
}

/** Those of whom there are most first. */
export function pastShares(past: readonly PastAtom[]): readonly PastShare[] {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return [...groupedBy(past, ({ agent, kind }) => `${agent}\n${kind}`).values()]
    .flatMap((atoms): PastShare[] => {
      const [first] = atoms;
      if (first === undefined) return [];
      const costs = atoms.flatMap(({ cost_usd }) => cost_usd ?? []);
      return [
        {
          agent: first.agent,
          kind: first.kind,
          atoms: atoms.length,
          resolved: atoms.filter(({ resolved }) => resolved === true).length,
          attempts: mean(atoms.map(({ attempts }) => attempts)),
          ms: mean(atoms.map(({ ms }) => ms)),
          cost_usd: costs.length === 0 ? null : mean(costs),
        },
      ];
    })
    .toSorted((one, other) => other.atoms - one.atoms);
}

export function isPastAtom(value: unknown): value is PastAtom {
  if (typeof value !== "object" || value === null) return false;
  const { loop, agent, kind, attempts, ms, cost_usd } = value as Partial<Record<keyof PastAtom, unknown>>;
  const isAmount = (amount: unknown): boolean => typeof amount === "number" && Number.isFinite(amount) && amount >= 0;
  return (
    typeof loop === "string" &&
    typeof agent === "string" &&
    ATOM_KINDS.some((one) => one === kind) &&
    isAmount(attempts) &&
    isAmount(ms) &&
    (cost_usd === null || isAmount(cost_usd))
  );
}
