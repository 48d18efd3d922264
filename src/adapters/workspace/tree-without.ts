/**
 * The tree without some atoms' work (SPEC section 7: an alternative starts with nothing of the failed choice).
 *
 * TREE-WITHOUT-1 the result is what replaying the remaining changes in their order gives, each against the base that it was
 *    made on; so a change that two atoms made alike stays when one of them goes;
 * TREE-WITHOUT-2 a change that cannot be replayed is lost, and all of its atom's changes with it: nothing is half in;
 * TREE-WITHOUT-3 the result holds no conflict marker.
 */
import { must, WHOLE_INDEX, type Git } from "./git.ts";
import { unitsIn, type Entry, type Unit } from "./history.ts";
import { withScratchIndex } from "./scratch-index.ts";
import { commitTree, treeOf, type TreeMerger } from "./tree-merge.ts";

export interface Remainder {
  readonly tree: string;
  /** Further atoms that are not in it. */
  readonly lost: readonly string[];
}

export interface TreeWithoutTools {
  readonly git: Git;
  readonly merger: TreeMerger;
  /** A new path for a temporary index. */
  readonly scratchIndex: () => string;
}

/**
 * @param base commit before the first of `history`
 * @returns null when nothing of these atoms is in
 */
export async function treeWithout(
  tools: TreeWithoutTools,
  base: string,
  history: readonly Entry[],
  atoms: readonly string[],
): Promise<Remainder | null> {
  const now = unitsIn(history);
  const out = new Set<string>(atoms);
  if (!now.some((unit) => isOut(unit, out))) return null;
  const changes = await readChanges(tools.git, base, now);
  const tree = await replay(tools, base, { now, changes }, out);
  return { tree, lost: [...out].filter((atom) => !atoms.includes(atom)) };
}

/** The commits as if what was taken out had never been in; `history` itself: nothing was, or the files would be others. */
export async function withoutReverted(
  tools: TreeWithoutTools,
  base: string,
  history: readonly Entry[],
): Promise<readonly Entry[]> {
  const units = unitsIn(history);
  if (units.length === history.length) return history;
  const changes = await readChanges(tools.git, base, units);
  const standing: Entry[] = [];
  let tree = await treeOf(tools.git, base);
  for (const { entry } of units) {
    const change = changes.get(entry.commit);
    const merged = change === undefined ? null : await mergeOnto(tools, tree, change);
    if (merged === null) return history;
    standing.push({ ...entry, tree: (tree = merged) });
  }
  return tree === history.at(-1)?.tree ? standing : history;
}

function isOut(unit: Unit, out: ReadonlySet<string>): boolean {
  return unit.atom !== null && out.has(unit.atom);
}

/** What a unit changed: from one commit to another, and their trees. */
interface UnitChange {
  readonly from: string;
  readonly to: string;
  readonly trees: readonly [string, string];
}

/** A unit's own change if its commit can still be read, else what it did to the branch. */
async function readChanges(git: Git, base: string, units: readonly Unit[]): Promise<ReadonlyMap<string, UnitChange>> {
  const commits = units.map(
    (unit) => (unit.entry.message.kind === "work" && unit.entry.message.trailers.work) || unit.entry.commit,
  );
  const names = units.flatMap((unit, i) => [
    `${commits[i]}^1`,
    `${commits[i]}^1^{tree}`,
    `${commits[i]}^{tree}`,
    `${unit.entry.parent || base}^{tree}`,
  ]);
  const found = (
    await must(git, ["cat-file", "--batch-check=%(objectname)"], { input: `${names.join("\n")}\n` })
  ).split("\n");
  const changes = new Map<string, UnitChange>();
  units.forEach((unit, i) => {
    const [from = "", before = "", after = "", parentTree = ""] = found.slice(4 * i, 4 * i + 4);
    const { commit, parent, tree } = unit.entry;
    const readable = [from, before, after].every((oid) => /^[0-9a-f]+$/.test(oid));
    changes.set(
      commit,
      readable
        ? { from, to: commits[i] ?? commit, trees: [before, after] }
        : { from: parent, to: commit, trees: [parentTree, tree] },
    );
  });
  return changes;
}

/** TREE-WITHOUT-1 by replaying; adds to `out` what is lost (TREE-WITHOUT-2). */
async function replay(
  tools: TreeWithoutTools,
  base: string,
  { now, changes }: { readonly now: readonly Unit[]; readonly changes: ReadonlyMap<string, UnitChange> },
  out: Set<string>,
): Promise<string> {
  for (;;) {
    const remaining = now.filter((unit) => !isOut(unit, out));
    let tree = await treeOf(tools.git, base);
    let again = false;
    for (const [i, unit] of remaining.entries()) {
      const change = changes.get(unit.entry.commit);
      if (change === undefined || isOut(unit, out)) continue;
      const merged = await mergeOnto(tools, tree, change);
      if (merged !== null) tree = merged;
      else if (unit.atom !== null) {
        out.add(unit.atom);
        again ||= remaining.slice(0, i).some((earlier) => earlier.atom === unit.atom);
      }
    }
    // An earlier change of a lost atom is in the tree already: once more, without it.
    if (!again) return tree;
  }
}

async function mergeOnto({ git, merger }: TreeWithoutTools, tree: string, change: UnitChange): Promise<string | null> {
  if (change.trees[0] === tree) return change.trees[1];
  if (change.trees[0] === change.trees[1]) return tree;
  const ours = await commitTree(git, tree, [change.from], "aot: what remains so far\n");
  const merged = await merger.merge(ours, change.to);
  return merged.kind === "clean" ? merged.tree : null;
}

/** A tree with some entries changed, by way of a temporary index. */
export async function editedTree(
  { git, scratchIndex }: Pick<TreeWithoutTools, "git" | "scratchIndex">,
  from: string,
  lines: string,
): Promise<string> {
  return await withScratchIndex(scratchIndex, async (index) => {
    const here = git.with({ env: { GIT_INDEX_FILE: index }, config: WHOLE_INDEX });
    await must(here, ["read-tree", from]);
    if (lines !== "") await must(here, ["update-index", "-z", "--index-info"], { input: lines });
    return await must(here, ["write-tree", "--missing-ok"]);
  });
}
