/**
 * SPEC section 3 and 4 said a second time, as plainly as can be: by name, from the state alone, nothing remembered. What
 * the product computes in its own ways is compared with it.
 */
import type { Atom, OrGroup, Outcome, State } from "../src/core/state.ts";

export interface Board {
  readonly atoms: readonly Atom[];
  /** `M`: unresolved atoms that count. */
  readonly measure: number;
  readonly executable: readonly string[];
  /** Live groups of which every choice failed. */
  readonly exhausted: readonly string[];
  isContainer(id: string): boolean;
  isLive(id: string): boolean;
  isMet(id: string): boolean;
  /** The container above it. */
  parentOf(id: string): string | undefined;
  /** For each group, the choice that an atom is at or below. */
  choicesAt(id: string): ReadonlyMap<string, string>;
}

const boards = new WeakMap<State, Board>();

export function boardOf(state: State): Board {
  const known = boards.get(state);
  if (known !== undefined) return known;
  const board = layOut(state);
  boards.set(state, board);
  return board;
}

function layOut(state: State): Board {
  const atoms = state.atoms;
  const byId = new Map(atoms.map((atom) => [atom.id, atom]));
  const groups = new Map(state.or_groups.map((group) => [group.name, group]));
  const containers = new Set(state.decompositions.map((split) => split.parent));
  const parents = parentsOf(state, groups);

  const groupOf = (id: string): OrGroup | undefined => groups.get(byId.get(id)?.or_group ?? "");
  const isResolved = (id: string): boolean => byId.get(id)?.status === "resolved";
  const hasResolved = (group: OrGroup): boolean => !group.failed.includes(group.selected) && isResolved(group.selected);
  /** The atom and the containers above it, the nearest first. */
  const pathOf = (id: string): readonly string[] => {
    const path = [id];
    for (let above = parents.get(id); above !== undefined; above = parents.get(above)) path.push(above);
    return path;
  };
  const isTaken = (id: string): boolean => {
    const group = groupOf(id);
    return group === undefined || (group.selected === id && !group.failed.includes(id));
  };
  const isLive = (id: string): boolean => pathOf(id).every(isTaken);
  const isMet = (id: string): boolean => {
    const dead = pathOf(id).findLast((here) => !isTaken(here));
    const group = dead === undefined ? undefined : groupOf(dead);
    return group === undefined ? isResolved(id) : hasResolved(group);
  };
  const counts = ({ id, status }: Atom): boolean =>
    status !== "resolved" &&
    !containers.has(id) &&
    pathOf(id).every((here) => {
      const group = groupOf(here);
      return group === undefined || (!group.failed.includes(here) && (group.selected === here || !hasResolved(group)));
    });
  const races = (id: string): boolean => {
    const group = groupOf(id);
    const above = parents.get(id);
    return (
      group?.speculative === true &&
      !group.failed.includes(id) &&
      !hasResolved(group) &&
      (above === undefined || isLive(above))
    );
  };
  const mayRun = ({ id, status }: Atom): boolean =>
    status === "pending" &&
    !containers.has(id) &&
    (isLive(id) || races(id)) &&
    pathOf(id).every((here) => byId.get(here)?.depends_on.every(isMet) === true);
  return {
    atoms,
    measure: atoms.filter(counts).length,
    executable: atoms.filter(mayRun).map((atom) => atom.id),
    exhausted: [...groups.values()].filter((group) => isExhausted(group, parents, isLive)).map((group) => group.name),
    isContainer: (id) => containers.has(id),
    isLive,
    isMet,
    parentOf: (id) => parents.get(id),
    choicesAt: (id) =>
      new Map(pathOf(id).flatMap((here) => (groupOf(here) === undefined ? [] : [[groupOf(here)?.name ?? "", here]]))),
  };
}

function isExhausted(group: OrGroup, parents: ReadonlyMap<string, string>, isLive: (id: string) => boolean): boolean {
  const above = parents.get(group.choices[0] ?? "");
  return group.choices.every((choice) => group.failed.includes(choice)) && (above === undefined || isLive(above));
}

/** The container above each atom; a choice without one stands where its rivals stand. */
function parentsOf(state: State, groups: ReadonlyMap<string, OrGroup>): ReadonlyMap<string, string> {
  const parents = new Map(
    state.decompositions.flatMap(({ parent, children }) => children.map((child) => [child, parent])),
  );
  for (const { choices } of groups.values()) {
    const above = choices.map((choice) => parents.get(choice)).find((parent) => parent !== undefined);
    if (above === undefined) continue;
    for (const choice of choices) if (!parents.has(choice)) parents.set(choice, above);
  }
  return parents;
}

/** All that SPEC section 4 decides by when nothing is running any more. */
export interface Facts {
  readonly stop_requested: boolean;
  readonly tampered: boolean;
  /** Verdict on what is integrated now; undefined: not checked. */
  readonly verdict: boolean | null | undefined;
  /** The check answered both ways on what is integrated now. */
  readonly flaky: boolean;
  readonly unconfirmed: boolean;
  readonly unavailable: boolean;
  /** The planner said what only a person can do. */
  readonly needs_person: boolean;
  readonly board: Board;
  readonly stall_count: number;
  readonly max_stall_count: number;
  readonly iteration: number;
  readonly max_iterations: number;
  /** Each atom that could run has spent its own attempts. */
  readonly spent: boolean;
}

/** The outcome with which a loop halts; null: it goes on. First match wins. */
export function outcomeOf(facts: Facts): Outcome | null {
  const { board } = facts;
  if (facts.stop_requested) return "stop_requested";
  if (facts.tampered) return "tampered";
  if (facts.verdict === true && !facts.flaky) return facts.unconfirmed ? "needs_confirmation" : "verified";
  if (facts.unavailable) return "agent_unavailable";
  if (facts.needs_person) return "needs_confirmation";
  if (facts.verdict === null && !facts.flaky && board.measure === 0) return "needs_confirmation";
  if (board.exhausted.length > 0) return "or_group_exhausted";
  if (board.measure > 0 && board.executable.length === 0) return "deadlock";
  const spent = spentOf(facts);
  return spent !== null && facts.flaky && board.measure === 0 ? "flaky_check" : spent;
}

function spentOf(facts: Facts): Outcome | null {
  if (facts.stall_count >= facts.max_stall_count) return "stalled";
  if (facts.iteration >= facts.max_iterations) return "max_iterations";
  return facts.spent ? "budget" : null;
}

/** What can be known of who made a verdict false. */
export interface Suspicion {
  readonly state: State;
  /** What each leaf that fails says. */
  readonly said: readonly string[];
  /** Attempts that were started, and failed, by atom. */
  readonly started: ReadonlyMap<string, number>;
  readonly failed: ReadonlyMap<string, number>;
}

/**
 * The atom whose claim of success a false verdict refutes, while it had no failure: the only one that did anything,
 * or the one whose files every failing leaf names, and no other's. Undefined: nobody knows, or it has no way left to go.
 */
export function wrongClaimant({ state, said, started, failed }: Suspicion): string | undefined {
  const board = boardOf(state);
  const done = board.atoms.filter(
    ({ id, status }) => status === "resolved" && !board.isContainer(id) && board.isLive(id),
  );
  const named = said.map((text) =>
    done.filter(({ binding }) => binding?.artifacts.some((file) => text.includes(file))),
  );
  const suspects =
    done.length === 1 ? done : done.filter((one) => named.every((by) => by.length === 1 && by[0] === one));
  const [suspect] = suspects;
  if (suspect?.binding === undefined || said.length === 0) return undefined;
  const { id } = suspect;
  if ((started.get(id) ?? 0) === 0 || (failed.get(id) ?? 0) >= 1) return undefined;
  // A person's word stands in the place of its claim, or of the goal that it was made for.
  const isOverruled = state.corrections.some(
    ({ type, changes = [] }) => type === "objective_change" || changes.some(({ field }) => field === `bindings.${id}`),
  );
  if (isOverruled) return undefined;
  const most = state.objective.constraints.max_attempts_per_atom ?? Infinity;
  return (started.get(id) ?? 0) < most || hasWayOut(state, id) ? id : undefined;
}

/** Whether an alternative is left to a choice that this atom is at or below. */
export function hasWayOut(state: State, id: string): boolean {
  const choices = boardOf(state).choicesAt(id);
  return state.or_groups.some(
    (group) =>
      choices.has(group.name) &&
      group.choices.some((one) => one !== choices.get(group.name) && !group.failed.includes(one)),
  );
}
