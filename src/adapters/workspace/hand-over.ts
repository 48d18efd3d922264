/** The end of a loop: the person gets the result by a fast-forward, or the command that brings it (W4). */
import type { Outcome } from "../../core/state.ts";
import { textOf } from "./git.ts";
import type { Git } from "./git.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";

export interface HandOver {
  readonly message: string;
  readonly merged: boolean;
}

/** @param merge false: the person merges by hand */
export async function handOver(
  git: Git,
  refs: LineRefs,
  line: IntegrationLine,
  outcome: Outcome,
  merge: boolean,
): Promise<HandOver> {
  const tip = line.tip();
  if (tip === line.base) return left("No attempt changed a file; your checkout is as it was.");
  const take = `git merge ${refs.branch}`;
  if (outcome !== "verified")
    return left(
      `What was integrated so far is on the branch ${refs.branch}; your checkout is as it was. Running the loop again goes on from there.`,
    );
  if (!merge)
    return left(`The verified work is on the branch ${refs.branch}; your checkout is as it was. To take it: ${take}`);
  const moved = await movedSince(git, line);
  if (moved !== null)
    return left(
      `The verified work is on the branch ${refs.branch}. It was not merged, because ${moved}. To take it: ${take}`,
    );
  const answer = await git.run(["merge", "--ff-only", "-q", tip]);
  if (!answer.ok)
    return left(
      `The verified work is on the branch ${refs.branch}. It was not merged, because git refused to fast-forward your checkout: ${answer.failure.stderr}. After clearing that up: ${take}`,
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
