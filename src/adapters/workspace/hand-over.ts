/** The end of a loop: the person gets the result by a fast-forward, or the command that brings it (W4). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Outcome } from "../../core/state.ts";
import { textOf, type Git } from "./git.ts";
import { metByResult, MOST, type Met } from "./partial-checkout.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";
import { named } from "./repository.ts";

export interface HandOver {
  readonly message: string;
  readonly merged: boolean;
}

export type Place = Readonly<Record<"root" | "gitDir" | "commonDir", string>>;

export interface Circumstances {
  /** The person's checkout: its top folder, its git directory, and the one that all worktrees share. */
  readonly place: Place;
  /** False: the person merges by hand. */
  readonly merge: boolean;
  /** What somebody changed in the person's checkout while the run was at work. */
  readonly stray: readonly string[];
}

export async function handOver(
  git: Git,
  { refs, line }: { readonly refs: LineRefs; readonly line: IntegrationLine },
  outcome: Outcome,
  { place, merge, stray }: Circumstances,
): Promise<HandOver> {
  const isNew = outcome === "verified" && line.tip() !== line.base;
  const merged = isNew && merge ? await fastForward(git, refs, line, place) : null;
  const untouched = stray.length > 0 ? "" : "; your checkout is as it was";
  const take = isNew && !merge ? howToTake(refs, await metByResult(git, place.root, line.tip())) : "";
  const { message } = merged ?? { message: whereItIs(refs, line, outcome, { untouched, take }) };
  // The message may end with a command to be typed: nothing stands behind it.
  const told =
    stray.length === 0
      ? message
      : `Changed in your checkout during the run, not by integration: ${named(stray)}. ${message}`;
  return { message: told, merged: merged?.merged === true };
}

function whereItIs(
  { branch }: LineRefs,
  line: IntegrationLine,
  outcome: Outcome,
  { untouched, take }: { readonly untouched: string; readonly take: string },
): string {
  if (line.tip() === line.base) return `No change was integrated${untouched}.`;
  return outcome === "verified"
    ? `The verified work is on the branch ${branch}${untouched}. To take it: ${take}`
    : `What was integrated so far is on the branch ${branch}${untouched}. \`git diff HEAD...${branch}\` shows it, and running the loop again goes on from there.`;
}

/**
 * The command that brings the result. git overwrites ignored files without a word unless it is told not to: what the
 * result has, and git does not track in the checkout, goes first.
 */
function howToTake({ branch }: LineRefs, { untracked }: Met): string {
  if (untracked.length === 0) return `git merge ${branch}`;
  return `move ${named(untracked)} away (git does not track it in your checkout), then git merge --no-overwrite-ignore ${branch}`;
}

async function fastForward(git: Git, refs: LineRefs, line: IntegrationLine, place: Place): Promise<HandOver> {
  const { merged, message } = await merge(git, refs, line, place.root);
  const locks = await locksOf(line, place);
  if (locks.length === 0) return { merged, message };
  const them = locks.length === 1 ? "it" : "them";
  return {
    merged,
    message: `A git that died has left ${locks.join(" and ")}: if no git is running in this repository, remove ${them}. ${message}`,
  };
}

/** What keeps the person's own git from working. Whose it is cannot be known. */
async function locksOf(line: IntegrationLine, { gitDir, commonDir }: Place): Promise<string[]> {
  const files = ["index", "HEAD"].map((name) => join(gitDir, `${name}.lock`));
  if (line.start.branch !== null) files.push(join(commonDir, `${line.start.branch}.lock`));
  const present = (): string[] => files.filter((file) => existsSync(file));
  if (present().length === 0) return [];
  // A git that is at work holds one for moments only.
  await setTimeout(LOCK_MS);
  return present();
}

const LOCK_MS = 500;

async function merge(git: Git, refs: LineRefs, line: IntegrationLine, root: string): Promise<HandOver> {
  const tip = line.tip();
  const { branch } = refs;
  const name = shortBranch(line.start.branch) ?? "Your checkout";
  const now = await headOf(git);
  if (now.branch === line.start.branch && now.commit === tip)
    return { merged: true, message: `${name} holds the verified work (${tip.slice(0, 10)}).` };
  const moved = movedSince(now, line);
  if (moved !== null) {
    const take = howToTake(refs, await metByResult(git, root, tip));
    return left(
      `The verified work is on the branch ${branch}. It was not merged, because ${moved}. To take it: ${take}`,
    );
  }
  const answer = await git.run(["merge", "--ff-only", "--no-overwrite-ignore", "-q", tip]);
  if (answer.ok) return { merged: true, message: `${name} now holds the verified work (${tip.slice(0, 10)}).` };
  const reason = answer.failure.stderr.replace(/\.?(\n\nAnother git process[^]*)?$/, "");
  const met = await metByResult(git, root, tip);
  const { half } = met;
  const first =
    half.length === 0 || half.length > MOST ? "" : `git checkout ${branch} -- ${half.map(quoted).join(" ")}, then `;
  return left(
    `The verified work is on the branch ${branch}. It was not merged, because git refused to fast-forward your checkout: ${reason}. After clearing that up: ${first}${howToTake(refs, met)}`,
  );
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : JSON.stringify(path);
}

function left(message: string): HandOver {
  return { message, merged: false };
}

interface Head {
  readonly branch: string | null;
  readonly commit: string | null;
}

async function headOf(git: Git): Promise<Head> {
  const commit = await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"]);
  const branch = await git.run(["symbolic-ref", "-q", "HEAD"]);
  return {
    branch: branch.ok ? textOf(branch.stdout).trim() : null,
    commit: commit.ok ? commit.stdout.trim() : null,
  };
}

function movedSince(now: Head, { start }: IntegrationLine): string | null {
  if (now.branch !== start.branch)
    return `your checkout is on ${shortBranch(now.branch) ?? "no branch"} and the loop started on ${shortBranch(start.branch) ?? "no branch"}`;
  if (now.commit !== start.commit)
    return `${shortBranch(now.branch) ?? "your checkout"} is no longer at ${start.commit.slice(0, 10)}, where the loop started`;
  return null;
}

function shortBranch(ref: string | null): string | null {
  return ref === null ? null : ref.replace(/^refs\/heads\//, "");
}
