/** The end of a loop: the person gets the result by a fast-forward, or the command that brings it (W4). */
import type { Outcome } from "../../core/state.ts";
import { textOf } from "./git.ts";
import type { Git } from "./git.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";
import { named } from "./repository.ts";

export interface HandOver {
  readonly message: string;
  readonly merged: boolean;
}

export interface Circumstances {
  /** False: the person merges by hand. */
  readonly merge: boolean;
  /** What somebody changed in the person's checkout while the run was at work. */
  readonly stray: readonly string[];
}

export async function handOver(
  git: Git,
  refs: LineRefs,
  line: IntegrationLine,
  outcome: Outcome,
  { merge, stray }: Circumstances,
): Promise<HandOver> {
  const merged =
    outcome === "verified" && line.tip() !== line.base && merge ? await fastForward(git, refs, line) : null;
  const untouched = stray.length > 0 ? "" : "; your checkout is as it was";
  const { message } = merged ?? { message: whereItIs(refs, line, outcome, untouched) };
  const told =
    stray.length === 0
      ? message
      : `${message} Changed in your checkout while the run was at work, not by integration: ${named(stray)}.`;
  return { message: told, merged: merged?.merged === true };
}

function whereItIs({ branch }: LineRefs, line: IntegrationLine, outcome: Outcome, untouched: string): string {
  if (line.tip() === line.base) return `No attempt changed a file${untouched}.`;
  return outcome === "verified"
    ? `The verified work is on the branch ${branch}${untouched}. To take it: git merge ${branch}`
    : `What was integrated so far is on the branch ${branch}${untouched}. Running the loop again goes on from there.`;
}

async function fastForward(git: Git, { branch }: LineRefs, line: IntegrationLine): Promise<HandOver> {
  const tip = line.tip();
  const take = `git merge ${branch}`;
  const moved = await movedSince(git, line);
  if (moved !== null)
    return left(
      `The verified work is on the branch ${branch}. It was not merged, because ${moved}. To take it: ${take}`,
    );
  const answer = await git.run(["merge", "--ff-only", "-q", tip]);
  if (!answer.ok)
    return left(
      `The verified work is on the branch ${branch}. It was not merged, because git refused to fast-forward your checkout: ${answer.failure.stderr}. After clearing that up: ${take}`,
    );
  return {
    merged: true,
    message: `${shortBranch(line.start.branch) ?? "Your checkout"} now holds the verified work (${tip.slice(0, 10)}).`,
  };
}

function left(message: string): HandOver {
  return { message, merged: false };
}

async function movedSince(git: Git, line: IntegrationLine): Promise<string | null> {
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"]);
  const branch = await git.run(["symbolic-ref", "-q", "HEAD"]);
  const now = branch.ok ? textOf(branch.stdout).trim() : null;
  if (now !== line.start.branch)
    return `your checkout is on ${shortBranch(now) ?? "no branch"} and the loop started on ${shortBranch(line.start.branch) ?? "no branch"}`;
  if (!head.ok || head.stdout.trim() !== line.start.commit)
    return `${shortBranch(now) ?? "your checkout"} is no longer at ${line.start.commit.slice(0, 10)}, where the loop started`;
  return null;
}

function shortBranch(ref: string | null): string | null {
  return ref === null ? null : ref.replace(/^refs\/heads\//, "");
}
