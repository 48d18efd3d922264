/**
 * The small model that real runs are held against, written from SPEC sections 3 and 7 alone: which atoms are
 * resolved, which choices are selected or given up, and what may be worked on. It shares no code with the loop.
 */
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";

export interface LedgerAtom {
  readonly depends_on: readonly string[];
  readonly group?: string;
  parent?: string;
  /** Its parent's decomposition names it; a choice also is below the container of its rivals. */
  named?: boolean;
  resolved: boolean;
  /** As a person changed it last. */
  description?: string;
}

export interface LedgerGroup {
  readonly choices: string[];
  selected: string;
  readonly failed: Set<string>;
}

export interface Ledger {
  readonly atoms: Map<string, LedgerAtom>;
  readonly groups: Map<string, LedgerGroup>;
  /** A person decides about its goal. */
  readonly judged: boolean;
}

export function ledgerOf(state: State): Ledger {
  const parents = new Map(
    state.decompositions.flatMap((split) => split.children.map((child) => [child, split.parent])),
  );
  const groups = state.or_groups;
  const parentOf = (id: string, group: string | undefined): string | undefined =>
    [id, ...(groups.find((one) => one.name === group)?.choices ?? [])].map((one) => parents.get(one)).find(Boolean);
  return {
    atoms: new Map(
      state.atoms.map((atom) => {
        const parent = parentOf(atom.id, atom.or_group);
        const { depends_on, or_group: group } = atom;
        const place = { ...(group === undefined ? {} : { group }), ...(parent === undefined ? {} : { parent }) };
        return [atom.id, { depends_on, ...place, named: parents.has(atom.id), resolved: atom.status === "resolved" }];
      }),
    ),
    groups: new Map(
      groups.map(({ name, choices, selected, failed }) => [
        name,
        { choices: [...choices], selected, failed: new Set(failed) },
      ]),
    ),
    judged: "type" in state.objective.base_case && state.objective.base_case.type === "assertion",
  };
}

function atomIn(ledger: Ledger, id: string): LedgerAtom {
  const atom = ledger.atoms.get(id);
  if (atom === undefined) throw new RangeError(`the ledger has no atom ${id}`);
  return atom;
}

/** The atom and what is above it, upwards. */
function upwards(ledger: Ledger, id: string): readonly string[] {
  const { parent } = atomIn(ledger, id);
  return parent === undefined ? [id] : [id, ...upwards(ledger, parent)];
}

function below(ledger: Ledger, top: string): readonly string[] {
  return [...ledger.atoms.keys()].filter((id) => upwards(ledger, id).includes(top));
}

function groupOf(ledger: Ledger, id: string): LedgerGroup | undefined {
  return ledger.groups.get(atomIn(ledger, id).group ?? "");
}

/** Whether the atom itself is no alternative, or the one that its group works on. */
function isTaken(ledger: Ledger, id: string): boolean {
  const group = groupOf(ledger, id);
  return group === undefined || (group.selected === id && !group.failed.has(id));
}

function isLive(ledger: Ledger, id: string): boolean {
  return upwards(ledger, id).every((one) => isTaken(ledger, one));
}

function isGroupMet(ledger: Ledger, group: LedgerGroup): boolean {
  return !group.failed.has(group.selected) && atomIn(ledger, group.selected).resolved;
}

function isMet(ledger: Ledger, id: string): boolean {
  const dead = upwards(ledger, id).findLast((one) => !isTaken(ledger, one));
  const group = dead === undefined ? undefined : groupOf(ledger, dead);
  return group === undefined ? atomIn(ledger, id).resolved : isGroupMet(ledger, group);
}

function childrenOf(ledger: Ledger, id: string): readonly string[] {
  return [...ledger.atoms].flatMap(([child, { parent }]) => (parent === id ? [child] : []));
}

/** SPEC section 3: executable, whatever is running. */
export function isExecutable(ledger: Ledger, id: string): boolean {
  return (
    !atomIn(ledger, id).resolved &&
    childrenOf(ledger, id).length === 0 &&
    isLive(ledger, id) &&
    upwards(ledger, id).every((one) => atomIn(ledger, one).depends_on.every((other) => isMet(ledger, other)))
  );
}

/** SPEC section 3: unresolved atoms that count, `M`. */
export function unresolved(ledger: Ledger): readonly string[] {
  return [...ledger.atoms].flatMap(([id, atom]) => {
    const counts = upwards(ledger, id).every((one) => {
      const group = groupOf(ledger, one);
      if (group === undefined) return true;
      return !group.failed.has(one) && (group.selected === one || !isGroupMet(ledger, group));
    });
    return atom.resolved || childrenOf(ledger, id).length > 0 || !counts ? [] : [id];
  });
}

/** Containers whose children are all met resolve by themselves, upwards. */
function settle(ledger: Ledger): void {
  for (let changed = true; changed;) {
    changed = false;
    for (const [id, atom] of ledger.atoms) {
      const children = childrenOf(ledger, id);
      if (atom.resolved || children.length === 0 || !isLive(ledger, id)) continue;
      if (!children.every((child) => isMet(ledger, child))) continue;
      atom.resolved = true;
      changed = true;
    }
  }
}

export function resolve(ledger: Ledger, id: string): void {
  atomIn(ledger, id).resolved = true;
  settle(ledger);
}

/** Pending again, with all below it; groups below start afresh. */
function reset(ledger: Ledger, top: string): void {
  for (const id of below(ledger, top)) {
    atomIn(ledger, id).resolved = false;
    const group = groupOf(ledger, id);
    if (id === top || group === undefined || group.failed.size === 0) continue;
    group.failed.clear();
    group.selected = group.choices[0] ?? group.selected;
  }
}

/** Leaves whose work stands. */
export function doneLeaves(ledger: Ledger): readonly string[] {
  return [...ledger.atoms].flatMap(([id, { resolved }]) =>
    resolved && childrenOf(ledger, id).length === 0 && isLive(ledger, id) ? [id] : [],
  );
}

/** What it claimed is wrong: a failure, but that a choice without another one is tried again. */
export function takeBack(ledger: Ledger, id: string): void {
  const above = upwards(ledger, id);
  for (const one of above) atomIn(ledger, one).resolved = false;
  const hasWayOut = above.some((one) => {
    const group = groupOf(ledger, one);
    return group?.choices.some((other) => other !== one && !group.failed.has(other));
  });
  if (hasWayOut) fail(ledger, id);
}

/** What a failed attempt changes. @returns choices given up, each with what stood below it */
export function fail(ledger: Ledger, id: string): readonly string[] {
  return groupOf(ledger, id) === undefined ? [] : giveUp(ledger, id);
}

function giveUp(ledger: Ledger, choice: string): readonly string[] {
  const group = groupOf(ledger, choice);
  if (group === undefined) throw new RangeError(`${choice} is no choice`);
  group.failed.add(choice);
  const gone = below(ledger, choice);
  reset(ledger, choice);
  const next = group.choices.find((other) => !group.failed.has(other));
  if (next !== undefined) {
    if (group.selected === choice) group.selected = next;
    return gone;
  }
  const above = upwards(ledger, choice)
    .slice(1)
    .filter((one) => groupOf(ledger, one) !== undefined);
  const hasWayOut = above.some((one) => {
    const outer = groupOf(ledger, one);
    return outer?.choices.some((other) => other !== one && !outer.failed.has(other));
  });
  const [nearest] = above;
  return nearest === undefined || !hasWayOut ? gone : [...gone, ...giveUp(ledger, nearest)];
}

export function split(
  ledger: Ledger,
  parent: string,
  children: readonly { id: string; depends_on: readonly string[] }[],
): void {
  const inherited = atomIn(ledger, parent).depends_on;
  for (const { id, depends_on } of children)
    ledger.atoms.set(id, {
      depends_on: [...new Set([...inherited, ...depends_on])],
      parent,
      named: true,
      resolved: false,
    });
}

/** Whether an atom is at or below a choice that was given up. */
export function atOrBelowFailed(state: State, id: string): boolean {
  const ledger = ledgerOf(state);
  return ledger.atoms.has(id) && upwards(ledger, id).some((one) => groupOf(ledger, one)?.failed.has(one) === true);
}

/** Atoms that wait for one of these, directly or through others. */
function dependantsOf(ledger: Ledger, ids: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const reach = (from: string): void => {
    const choices = groupOf(ledger, from)?.choices ?? [];
    const names = [from, ...choices.filter((choice) => choice !== from).flatMap((choice) => below(ledger, choice))];
    const { parent } = atomIn(ledger, from);
    const direct = [...ledger.atoms.keys()].filter((other) =>
      upwards(ledger, other).some((one) => atomIn(ledger, one).depends_on.some((name) => names.includes(name))),
    );
    for (const other of [...direct, ...(parent === undefined ? [] : [parent])]) {
      if (found.has(other)) continue;
      found.add(other);
      reach(other);
    }
  };
  ids.forEach(reach);
  return found;
}

// ── what a person may do (SPEC section 8) ───────────────────────────────────

/** Whether a redirect is accepted, and what it then changes; limits and the objective are not the ledger's. */
export function redirected(ledger: Ledger, redirect: Redirect): boolean {
  const apply = changeOf(ledger, redirect);
  if (apply === null) return false;
  apply();
  settle(ledger);
  return true;
}

export function wouldRefuse(ledger: Ledger, redirect: Redirect): boolean {
  return changeOf(ledger, redirect) === null;
}

/** Whose work a redirect of the graph ends (SPEC section 8): that of what is gone, lost to another choice, or open again. */
export function endedBy(ledger: Ledger, redirect: Redirect): (id: string) => boolean {
  switch (redirect.kind) {
    case "set":
    case "limit":
    case "add":
    case "confirm":
      return () => false;
    case "reject":
      return () => true;
    case "transaction": {
      const ends = redirect.changes.map((change) => endedBy(ledger, change));
      return (id) => ends.some((isEnded) => isEnded(id));
    }
    case "change": {
      const isAnother = ledger.atoms.get(redirect.id)?.description !== redirect.description;
      const own = isAnother ? below(ledger, redirect.id) : [];
      return (id) => own.includes(id);
    }
    case "remove":
      return (id) => id === redirect.id;
    case "rebind": {
      const waiting = dependantsOf(ledger, [redirect.id]);
      return (id) => waiting.has(id);
    }
    case "redo": {
      const own = below(ledger, redirect.id);
      const built = dependantsOf(ledger, own);
      return (id) => own.includes(id) || built.has(id);
    }
    case "choose": {
      const group = ledger.groups.get(redirect.group);
      if (group === undefined) return () => false;
      const lost = below(ledger, group.selected);
      const built = dependantsOf(ledger, lost);
      return (id) => lost.includes(id) || built.has(id);
    }
  }
}

/** Null: it is refused. */
function changeOf(ledger: Ledger, redirect: Redirect): (() => void) | null {
  switch (redirect.kind) {
    case "set":
    case "limit":
      return () => {};
    case "confirm":
      return ledger.judged && unresolved(ledger).length === 0 ? () => {} : null;
    case "reject": {
      const numbers = [...ledger.atoms.keys()].map((id) => Number(/^A(\d+)$/.exec(id)?.[1] ?? 0));
      const add = (): void =>
        void ledger.atoms.set(`A${Math.max(0, ...numbers) + 1}`, { depends_on: [], resolved: false });
      return ledger.judged ? add : null;
    }
    case "add": {
      const { id, depends_on, or_group: group } = redirect;
      if (ledger.atoms.has(id) || !depends_on.every((one) => ledger.atoms.has(one))) return null;
      return () => {
        const rivals = ledger.groups.get(group ?? "");
        const rival = ledger.atoms.get(rivals?.choices[0] ?? "");
        const parent = rival?.parent;
        const named = rival?.named === true;
        const place = { ...(group === undefined ? {} : { group }), ...(parent === undefined ? {} : { parent }) };
        ledger.atoms.set(id, { depends_on, ...place, named, resolved: false });
        if (group === undefined) return;
        if (rivals === undefined)
          return void ledger.groups.set(group, { choices: [id], selected: id, failed: new Set() });
        if (rivals.choices.every((choice) => rivals.failed.has(choice))) rivals.selected = id;
        rivals.choices.push(id);
      };
    }
    case "transaction": {
      const trial = structuredClone(ledger);
      for (const change of redirect.changes) {
        const apply = changeOf(trial, change);
        if (apply === null) return null;
        apply();
      }
      return () => {
        for (const change of redirect.changes) changeOf(ledger, change)?.();
      };
    }
    case "change": {
      const atom = ledger.atoms.get(redirect.id);
      if (atom === undefined || atom.resolved) return null;
      return () => {
        if (redirect.description !== undefined) atom.description = redirect.description;
      };
    }
    case "remove":
      return isRemovable(ledger, redirect.id) ? () => removeAtom(ledger, redirect.id) : null;
    case "choose": {
      const group = ledger.groups.get(redirect.group);
      if (group === undefined || !group.choices.includes(redirect.atom)) return null;
      if (group.selected === redirect.atom && !group.failed.has(redirect.atom)) return null;
      return () => {
        const former = group.selected;
        for (const id of dependantsOf(ledger, below(ledger, former))) atomIn(ledger, id).resolved = false;
        reset(ledger, former);
        group.failed.delete(redirect.atom);
        group.selected = redirect.atom;
      };
    }
    case "redo":
      if (ledger.atoms.get(redirect.id)?.resolved !== true) return null;
      return () => {
        const own = below(ledger, redirect.id);
        for (const id of [...own, ...dependantsOf(ledger, own)]) atomIn(ledger, id).resolved = false;
      };
    case "rebind":
      if (ledger.atoms.get(redirect.id)?.resolved !== true) return null;
      return () => {
        for (const id of dependantsOf(ledger, [redirect.id])) atomIn(ledger, id).resolved = false;
        atomIn(ledger, redirect.id).resolved = true;
      };
  }
}

function isRemovable(ledger: Ledger, id: string): boolean {
  const atom = ledger.atoms.get(id);
  if (atom === undefined || atom.resolved || childrenOf(ledger, id).length > 0) return false;
  if ([...ledger.atoms.values()].some((other) => other.depends_on.includes(id))) return false;
  if (ledger.atoms.size === 1) return false;
  const siblings = [...ledger.atoms.values()].filter((other) => other.named === true && other.parent === atom.parent);
  if (atom.named === true && siblings.length === 1) return false;
  const group = groupOf(ledger, id);
  return group === undefined || (group.choices.length > 1 && group.selected !== id);
}

function removeAtom(ledger: Ledger, id: string): void {
  const group = groupOf(ledger, id);
  const rivals = group?.choices.filter((other) => other !== id).map((other) => atomIn(ledger, other)) ?? [];
  // The selected one is in the container in its place.
  if (group !== undefined && atomIn(ledger, id).named === true && rivals.every((rival) => rival.named !== true))
    atomIn(ledger, group.selected).named = true;
  ledger.atoms.delete(id);
  group?.choices.splice(group.choices.indexOf(id), 1);
  group?.failed.delete(id);
}
