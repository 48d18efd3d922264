/** Keeps the work of an attempt that is not integrated as its branch (PORTS-1), and removes its folder. */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { makeOwnFolder } from "../../host/own-file.ts";
import { shelveMessage } from "./commit-message.ts";
import type { KeptWork } from "../../loop/ports.ts";
import { textOf } from "./git.ts";
import { ignoredInWords } from "./ignored-work.ts";
import { updateRefs } from "./integration-line.ts";
import { snapshot, type SnapshotTools } from "./snapshot.ts";
import { commitTree } from "./tree-merge.ts";
import { safeName } from "./workspace-name.ts";
import { exists, type Slot } from "./slot.ts";
import type { SlotPool } from "./slot-pool.ts";

export interface KeepTools extends SnapshotTools {
  /** Folder of the slots. */
  readonly parent: string;
  /** Takes the slots. */
  readonly pool: SlotPool;
  readonly note: (text: string) => void;
  /** A path as seen from the project. */
  readonly shown: (path: string) => string;
}

/**
 * @param base commit that the attempt started from
 * @returns the branch, or null if there was nothing to keep
 */
export async function keepWork(
  tools: KeepTools,
  slot: Slot,
  { base, title, reason }: { readonly base: string; readonly title: string; readonly reason: string },
): Promise<string | null> {
  const { git, refs } = tools;
  const found = await snapshot(tools, slot, base);
  if (found.kind === "tree" && found.ignored !== null)
    tools.note(`${title}: ${ignoredInWords(found.ignored, tools.shown)}.`);
  if (found.kind === "unreadable" && (await exists(slot.dir))) return setAside(tools, slot, found.reason);
  if (found.kind === "unreadable" || found.changes.length === 0) {
    await discard(tools, slot);
    return null;
  }
  const commit = await commitTree(git, found.tree, [base], shelveMessage(title, reason));
  await updateRefs(git, [`update refs/heads/${refs.attempts}${slot.name} ${commit}`]);
  await tools.pool.give(slot);
  return `${refs.attempts}${slot.name}`;
}

/** What keeps the work of these attempts, by attempt id. @param tip of the line, which each of them began on */
export async function keptWork(
  tools: Pick<KeepTools, "git" | "refs">,
  attempts: readonly string[],
  tip: string,
): Promise<ReadonlyMap<string, KeptWork>> {
  const { git } = tools;
  const found = new Map<string, KeptWork>();
  for (const [attempt, name] of await keptBranches(tools, attempts)) {
    const at = await git.run(["rev-parse", "-q", "--verify", `refs/heads/${name}^{commit}`]);
    const commit = at.stdout.trim();
    const base = await git.run(["merge-base", tip, commit]);
    const diff = base.ok ? await git.run([...DIFF, base.stdout.trim(), commit, "--"]) : base;
    const known = at.ok ? { commit: commit.slice(0, 12) } : {};
    found.set(attempt, { name, ...known, ...(diff.ok ? { diff: textOf(diff.stdout).trimEnd() } : {}) });
  }
  return found;
}

const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U2"] as const;

/** The branches that keep the work of these attempts, by attempt id: of each the newest name. */
export async function keptBranches(
  { git, refs }: Pick<KeepTools, "git" | "refs">,
  attempts: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const listed = await git.run(["for-each-ref", "--format=%(refname:lstrip=2)", `refs/heads/${refs.attempts}`]);
  if (!listed.ok) return new Map();
  const branches = listed.stdout.split("\n");
  return new Map(
    attempts.flatMap((attempt) => {
      const [, atom = "", number = ""] = /^(.+)\.(\d+)$/s.exec(attempt) ?? [];
      const name = `${refs.attempts}${safeName(atom)}-${number}-`;
      const kept = atom === "" ? undefined : branches.findLast((branch) => branch.startsWith(name));
      return kept === undefined ? [] : [[attempt, kept] as const];
    }),
  );
}

/** Removes an attempt's folder and branch: there is nothing in them that is not elsewhere. */
export async function discard(tools: KeepTools, slot: Slot): Promise<void> {
  await updateRefs(tools.git, [`delete refs/heads/${tools.refs.attempts}${slot.name}`]);
  await tools.pool.give(slot);
}

/** Files that git cannot read are kept as they are. */
async function setAside(tools: KeepTools, slot: Slot, reason: string): Promise<string> {
  const kept = join(tools.attic, `${slot.name}.folder`);
  makeOwnFolder(tools.attic);
  await rename(slot.dir, kept);
  await tools.pool.give(slot);
  tools.note(`The work of ${slot.name} could not be committed (${reason}); its folder is kept at ${kept}.`);
  return kept;
}
