/**
 * The integration branch and what the loop itself remembers of it.
 *
 * INTEGRATION-LINE-1 the branch moves only by compare and swap against what the loop last set, and only forward: but where work
 *    at its end is taken out it goes back to before that, which is kept as its attempt's branch;
 * INTEGRATION-LINE-2 the loop's own ref and the branch move in one transaction;
 * INTEGRATION-LINE-3 a branch that somebody else moved is put back, and the foreign tip is kept under `foreign/<n>`;
 * INTEGRATION-LINE-4 between runs a person may commit on the branch: what goes forward from ours is accepted.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createQueue } from "./queue.ts";
import { fieldsOf, gitProblem, must, textOf, type Git } from "./git.ts";
import type { Workspace } from "../../loop/ports.ts";
import type { WorkEntry } from "./history.ts";
import { WorkspaceError } from "./problem.ts";

export interface LineRefs {
  /** The loop's name. */
  readonly loop: string;
  /** `aot/<loop>/integration`. */
  readonly branch: string;
  /** `aot/<loop>/attempt/`. */
  readonly attempts: string;
  /** `refs/aot/<loop>/`. */
  readonly own: string;
}

/** @param loop valid ref component */
export function lineRefs(loop: string): LineRefs {
  return { loop, branch: `aot/${loop}/integration`, attempts: `aot/${loop}/attempt/`, own: `refs/aot/${loop}/` };
}

/** Where the loop started: kept as a blob, so that a later run knows. */
export interface Start {
  /** Full ref name, or null if the person was on no branch. */
  readonly branch: string | null;
  readonly commit: string;
}

export interface IntegrationLine {
  readonly start: Start;
  /** The commit before the loop's first. */
  readonly base: string;
  tip(): string;
  /**
   * Moves the branch to `commit`, a child of the tip.
   * @param also lines for `update-ref --stdin` that go with it
   */
  advance(commit: string, also?: readonly string[]): Promise<void>;
  /** Goes back to before the work at its end. @param end not empty */
  leave(end: readonly WorkEntry[]): ReturnType<Workspace["revert"]>;
}

export interface LineTools {
  readonly git: Git;
  readonly refs: LineRefs;
  readonly note: (text: string) => void;
}

/** Goes on from the branch, or creates it at `start.commit`. */
export async function openLine(tools: LineTools, start: Start): Promise<IntegrationLine> {
  const { git, refs } = tools;
  const found = await readRefs(git, [refs.own, `refs/heads/${refs.branch}`]);
  const base = found.get(`${refs.own}base`);
  const tip = found.get(`${refs.own}tip`);
  const branch = found.get(`refs/heads/${refs.branch}`);
  if (base !== undefined && tip !== undefined) {
    const now = await settle(tools, tip, branch);
    return lineAt(tools, await readStart(git, found.get(`${refs.own}start`), base), base, now);
  }
  if (branch !== undefined) tools.note(`The branch ${refs.branch} was there already; the loop goes on from it.`);
  const first = branch ?? start.commit;
  const from = branch === undefined ? start.commit : await must(git, ["merge-base", start.commit, branch]);
  const lines = [`update ${refs.own}base ${from}`, await startLine(tools, { ...start, commit: from })];
  lines.push(`update ${refs.own}tip ${first}`);
  if (branch === undefined) lines.push(`create refs/heads/${refs.branch} ${first}`);
  await updateRefs(git, lines);
  return lineAt(tools, { ...start, commit: from }, from, first);
}

/**
 * INTEGRATION-LINE-3, INTEGRATION-LINE-4 at opening: the branch may have gone on from our tip, or a crash may have cut
 * the transaction in two.
 */
async function settle(tools: LineTools, tip: string, branch: string | undefined): Promise<string> {
  if (branch === tip) return tip;
  const { git, refs } = tools;
  if (branch !== undefined && (await git.run(["merge-base", "--is-ancestor", tip, branch])).ok) {
    await updateRefs(git, [`update ${refs.own}tip ${branch}`]);
    return branch;
  }
  await restore(tools, tip);
  return tip;
}

/** For `updateRefs`. */
export async function startLine({ git, refs }: LineTools, start: Start): Promise<string> {
  const blob = await must(git, ["hash-object", "-w", "--stdin"], {
    input: Buffer.from(`${start.commit}\n${start.branch ?? ""}`).toString("latin1"),
  });
  return `update ${refs.own}start ${blob}`;
}

export function lineAt(tools: LineTools, start: Start, base: string, first: string): IntegrationLine {
  const { git, refs } = tools;
  const queue = createQueue();
  let tip = first;
  const move = async (commit: string, also: readonly string[]): Promise<void> => {
    const lines = [
      `update refs/heads/${refs.branch} ${commit} ${tip}`,
      `update ${refs.own}tip ${commit} ${tip}`,
      ...also,
    ];
    const done = await tryRefs(git, lines);
    if (done.ok) return;
    if (!(await restore(tools, tip))) throw new WorkspaceError(gitProblem(done.failure));
    await updateRefs(git, lines);
  };
  const advance = (commit: string, also: readonly string[] = []): Promise<void> =>
    queue(async () => {
      await move(commit, also);
      tip = commit;
    });
  return {
    start,
    base,
    tip: () => tip,
    advance,
    leave: async (end) => {
      const commit = end[0]?.parent ?? tip;
      const kept = end.map((work) => `update refs/heads/${refs.attempts}${work.name} ${work.commit}`);
      await advance(commit, kept);
      return { commit, lost: [], gone: end.map((work) => work.commit) };
    },
  };
}

/** Puts both refs back to `tip`; false when they are there already (the trouble is another one). */
async function restore({ git, refs, note }: LineTools, tip: string): Promise<boolean> {
  const found = await readRefs(git, [refs.own, `refs/heads/${refs.branch}`]);
  const ours = [`refs/heads/${refs.branch}`, `${refs.own}tip`];
  if (ours.every((name) => found.get(name) === tip)) return false;
  const lines = ours.map((name) => `update ${name} ${tip}`);
  let number = [...found.keys()].filter((name) => name.startsWith(`${refs.own}foreign/`)).length;
  for (const foreign of new Set(ours.map((name) => found.get(name)))) {
    if (foreign === tip) continue;
    if (foreign === undefined)
      note(`Somebody deleted the branch ${refs.branch} or its record; it is back at ${tip.slice(0, 10)}.`);
    else {
      const kept = `${refs.own}foreign/${++number}`;
      lines.push(`update ${kept} ${foreign}`);
      note(
        `Somebody other than the loop moved ${refs.branch} to ${foreign.slice(0, 10)}; it is back at ${tip.slice(0, 10)}, and what was there is kept as ${kept}.`,
      );
    }
  }
  await updateRefs(git, lines);
  return true;
}

async function readStart(git: Git, blob: string | undefined, base: string): Promise<Start> {
  const answer = blob === undefined ? null : await git.run(["cat-file", "blob", blob]);
  const [commit = base, branch = ""] = answer?.ok === true ? textOf(answer.stdout).split("\n") : [];
  return { branch: branch === "" ? null : branch, commit };
}

/** Object ids by full ref name. */
export async function readRefs(git: Git, patterns: readonly string[]): Promise<Map<string, string>> {
  const out = await must(git, ["for-each-ref", "--format=%(objectname) %(refname)%00", ...patterns]);
  const refs = new Map<string, string>();
  for (const field of fieldsOf(out)) {
    const [oid = "", name = ""] = field.trim().split(" ");
    if (name !== "") refs.set(textOf(name), oid);
  }
  return refs;
}

/** One transaction: all or nothing. A symbolic ref that somebody put in our place is replaced, never followed. */
export async function updateRefs(git: Git, lines: readonly string[]): Promise<void> {
  const done = await tryRefs(git, lines);
  if (!done.ok) throw new WorkspaceError(gitProblem(done.failure));
}

function tryRefs(git: Git, lines: readonly string[]): ReturnType<Git["run"]> {
  const input = ["start", ...lines.flatMap((line) => ["option no-deref", line]), "prepare", "commit", ""].join("\n");
  return git.run(["update-ref", "-m", "aot", "--stdin"], { input });
}

/** Lock files that a killed git left, where nobody else writes. @param folders in the git directory */
export async function removeLocks(gitDir: string, folders: readonly string[]): Promise<void> {
  for (const path of folders.map((folder) => join(gitDir, folder)))
    for (const name of await readdir(path, { recursive: true }).catch(() => []))
      if (name.endsWith(".lock")) await rm(join(path, name), { force: true });
}
