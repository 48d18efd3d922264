/** The end of a loop: the person gets the result by a fast-forward, or the command that brings it (PORTS-4). */
import type { Outcome } from "../../core/state.ts";
import { textOf, type Git } from "./git.ts";
import type { Handed } from "./handed-commits.ts";
import type { IntegrationLine, LineRefs } from "./integration-line.ts";
import type { Hooked } from "./project-hooks.ts";
import { named, TYPED_IN_FOLDER, type Repository } from "./repository.ts";

export interface HandOver {
  readonly message: string;
  readonly merged: boolean;
  /** The commit that the person gets; absent: the one that was verified. */
  readonly handed_over?: string;
}

export type PersonsPlace = Pick<Repository, "root" | "typed">;

export interface Circumstances {
  /** The person's checkout: its top folder; how its git is called. */
  readonly place: PersonsPlace;
  /** False: the person merges by hand. */
  readonly merge: boolean;
  /** What somebody changed in the person's checkout while the run was active. */
  readonly stray: readonly string[];
  /** Makes the commits that the person gets. */
  readonly commits: () => Promise<Hooked<Handed>>;
}

export async function handOver(
  git: Git,
  { refs, line }: { readonly refs: LineRefs; readonly line: IntegrationLine },
  outcome: Outcome,
  { place, merge, stray, commits }: Circumstances,
): Promise<HandOver> {
  const isNew = outcome === "verified" && line.tip() !== line.base;
  const made = isNew ? await commits() : null;
  const handed = made?.ok === true ? made.value : { commit: line.tip(), branch: refs.branch };
  const merged =
    made?.ok === false
      ? left(
          `The verified work is on the branch ${refs.branch}. It was not merged, because ${made.reason}. To take it by your own commit: git merge --squash ${refs.branch} && git commit`,
        )
      : isNew && merge
        ? await fastForward(git, handed, line, place)
        : null;
  const untouched = stray.length > 0 ? "" : "; your checkout is as it was";
  const take = isNew && !merge ? howToTake(handed, place) : "";
  const { message } = merged ?? { message: whereItIs(handed, line, outcome, { untouched, take, typed: place.typed }) };
  // The message may end with a command to be typed: nothing is behind it.
  const reported =
    stray.length === 0
      ? message
      : `Changed in your checkout during the run, not by integration: ${named(stray)}. ${message}`;
  const other = handed.commit === line.tip() ? {} : { handed_over: handed.commit };
  return { message: reported, merged: merged?.merged === true, ...other };
}

function whereItIs(
  { branch }: Handed,
  line: IntegrationLine,
  outcome: Outcome,
  { untouched, take, typed }: Readonly<Record<"untouched" | "take" | "typed", string>>,
): string {
  if (line.tip() === line.base) return `No change was integrated${untouched}.`;
  return outcome === "verified"
    ? `The verified work is on the branch ${branch}${untouched}. To take it: ${take}`
    : `What was integrated so far is on the branch ${branch}${untouched}. \`${typed} diff HEAD...${branch}\` shows it, and running the loop again goes on from there.`;
}

/** The command that brings the result. git overwrites ignored files without a word unless it is asked not to. */
function howToTake({ branch }: Handed, { root, typed }: PersonsPlace): string {
  return `${typed === TYPED_IN_FOLDER ? `in ${root}, ` : ""}${typed} merge --no-overwrite-ignore ${branch}`;
}

async function fastForward(git: Git, handed: Handed, line: IntegrationLine, place: PersonsPlace): Promise<HandOver> {
  const { branch, commit: tip } = handed;
  const { root, typed } = place;
  const isFolder = typed === TYPED_IN_FOLDER;
  const name = isFolder ? root : (shortBranch(line.start.branch) ?? "Your checkout");
  const now = await headOf(git);
  if (now.branch === line.start.branch && now.commit === tip)
    return { merged: true, message: `${name} holds the verified work (${tip.slice(0, 10)}).` };
  const moved = movedSince(now, line);
  if (moved !== null) {
    const take =
      now.commit === null
        ? `git checkout ${shortBranch(line.start.branch) ?? line.start.commit}, then git merge ${branch}`
        : howToTake(handed, place);
    return left(
      `The verified work is on the branch ${branch}. It was not merged, because ${moved}. To take it: ${take}`,
    );
  }
  const answer = await git.run(["merge", "--ff-only", "--no-overwrite-ignore", "-q", tip]);
  if (answer.ok) return { merged: true, message: `${name} now holds the verified work (${tip.slice(0, 10)}).` };
  // It moved between the look and the merge: another loop's hand-over.
  if (movedSince(await headOf(git), line) !== null) return await fastForward(git, handed, line, place);
  const reason = answer.failure.stderr.replace(/\.?(\n\nAnother git process[^]*)?$/, "");
  if (isFolder) {
    const files = [...reason.matchAll(/^\t(.+)$/gm)].map(([, file = ""]) => file);
    const why = files.length === 0 ? reason : `it was changed there meanwhile: ${named(files)}`;
    return left(
      `The verified work is on the branch ${branch}. It was not written to ${root}: ${why}. Your changes are kept as a commit. To merge both: in ${root}, ${typed} merge --no-overwrite-ignore ${branch}`,
    );
  }
  const take = howToTake(handed, place);
  return left(
    `The verified work is on the branch ${branch}. It was not merged, because git refused to fast-forward your checkout: ${reason}. After clearing that up: ${take}`,
  );
}

function left(message: string): HandOver {
  return { message, merged: false };
}

type Head = Awaited<ReturnType<typeof headOf>>;

async function headOf(git: Git) {
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
