/**
 * The repository that a project's work goes through: the person's, and for a folder in none one that the loop keeps beside it
 * (SPEC section 7). There the folder is imported as a commit wherever it differs from the last one, as if the person had committed.
 *
 * FOLDER-REPOSITORY-1 files go in and come back byte for byte: no line ending, no filter, whatever the project's attributes say;
 * FOLDER-REPOSITORY-2 the loop's own files, what the project ignores, and repositories inside are no part of it;
 * FOLDER-REPOSITORY-3 the folder is changed only by a hand-over; one that a crash cut short is taken back, and what is neither
 *    before nor after it is kept as a commit.
 */
import { existsSync, rmSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { writeFileAtomicSync } from "../../host/atomic-write.ts";
import { tryLockSync, type Lock } from "../../host/lock.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { makeOwnFolder } from "../../host/own-file.ts";
import { realPath } from "../../host/real-path.ts";
import { explainWrite } from "../../host/write-failure.ts";
import { changesBetween, type Change } from "./change.ts";
import { bytesIn, createGit, fieldsOf, LITERAL, LONG_MS, must, textOf, WHOLE_INDEX, type Git } from "./git.ts";
import { updateRefs } from "./integration-line.ts";
import { excludeOnce, ownFiles, type OwnFiles } from "./own-files.ts";
import { WorkspaceError, type WorkspaceResult } from "./problem.ts";
import { createQueue } from "./queue.ts";
import { findRepository, identity, named, TYPED_IN_FOLDER, type Repository } from "./repository.ts";
import { removeDeadLock } from "./sweep.ts";
import { commitTree } from "./tree-merge.ts";

/** Where the repository of a folder is, or would be. */
export function folderGit(folder: string): string {
  return join(folder, ".claude", "aot-loop", "folder.git");
}

/** The repository that the project's work is in. `not_a_repository`: nothing was imported yet, either. */
export async function repositoryOf(folder: string): Promise<WorkspaceResult<Repository>> {
  const found = await findRepository(folder);
  if (found.ok || found.problem.code !== "not_a_repository" || !existsSync(join(folderGit(folder), "HEAD")))
    return found;
  const own = await openFolder(await realpath(folder));
  return own.ok ? own : found;
}

/** git for what is only looked at in a project, which may be in no repository at all. */
export async function gitOf(folder: string): Promise<Git> {
  const found = await repositoryOf(folder);
  return found.ok ? found.value.git.with({ cwd: folder }) : createGit({ cwd: folder });
}

/**
 * The same, with the folder as it is now.
 * @param stateFile of the loop, whose own files are no part of it
 */
export async function importedRepository(
  folder: string,
  stateFile: string,
  onNote: (text: string) => void = () => {},
): Promise<WorkspaceResult<Repository>> {
  const found = await findRepository(folder);
  if (found.ok || found.problem.code !== "not_a_repository") return found;
  const root = await realpath(folder);
  try {
    const file = realPath(stateFile);
    await alone(root, () => importFolder(root, ownFiles(root, file, loopPaths(file).dir), onNote));
  } catch (error) {
    if (error instanceof WorkspaceError) return { ok: false, problem: error.problem };
    const { message, hint } = explainWrite(folderGit(root), error);
    return { ok: false, problem: { code: "files_in_the_way", message, hint } };
  }
  return await openFolder(root);
}

function placeOf(root: string): Readonly<Record<"GIT_DIR" | "GIT_WORK_TREE", string>> {
  return { GIT_DIR: folderGit(root), GIT_WORK_TREE: root };
}

async function openFolder(root: string): Promise<WorkspaceResult<Repository>> {
  return await findRepository(root, { env: placeOf(root), config: SETTINGS });
}

const SETTINGS = [...WHOLE_INDEX, "core.autocrlf=false"];
/** Loops of the same folder go on while this one works. */
const OTHER_LOOPS = [
  "/.claude/aot-loop*",
  "/.claude/aot-rules/",
  "/.claude/loops/",
  "/.claude/worktrees/",
  "*.aot-loop/",
];
/** Message of each import. */
export const IMPORT = "The folder as it was";
const BYTES_ONLY = "* -text -eol -ident -filter -working-tree-encoding\n";
/** Names what is being written to the folder (FOLDER-REPOSITORY-3). */
const HANDING = "refs/aot-folder/handing";

const inTurn = createQueue();

/** One at a time, of all processes. */
async function alone<T>(root: string, task: () => Promise<T>): Promise<T> {
  return await inTurn(async () => {
    makeOwnFolder(folderGit(root));
    const lock = await lockOf(root);
    try {
      return await task();
    } finally {
      lock.release();
    }
  });
}

async function lockOf(root: string): Promise<Lock> {
  for (const end = performance.now() + LONG_MS; ; await setTimeout(50)) {
    const lock = tryLockSync(`${folderGit(root)}.lock`, { what: "importing the folder" });
    if (lock.ok) return lock;
    if (lock.code === "unwritable" || performance.now() > end)
      throw new WorkspaceError({ code: "files_in_the_way", message: lock.message, hint: lock.hint });
  }
}

/** With the lock held. */
async function importFolder(root: string, own: OwnFiles, note: (text: string) => void): Promise<void> {
  const git = await made(root, own);
  await takeBack(git, root, note);
  if ((await must(git, ["ls-files", "-u"])) !== "")
    throw new WorkspaceError({
      code: "files_in_the_way",
      message: `A merge in ${root} is not finished.`,
      hint: `Put right what it marks there, then \`${TYPED_IN_FOLDER} commit -a\`; or give it up: \`${TYPED_IN_FOLDER} merge --abort\``,
    });
  for (const path of await leaveNestedOut(git, root, own))
    note(`${path} is a git repository of its own: the loop neither reads nor changes it.`);
  await readFolder(git, root, own);
  const [tree, head] = [await must(git, ["write-tree"]), await git.run(["rev-parse", "-q", "--verify", "HEAD^{tree}"])];
  const isMerged = existsSync(join(folderGit(root), "MERGE_HEAD"));
  if (head.stdout.trim() !== tree || isMerged)
    await must(git, ["commit", "-q", "--no-verify", "--allow-empty", "-m", IMPORT], {
      timeout_ms: LONG_MS,
    });
}

async function made(root: string, own: OwnFiles): Promise<Git> {
  const dir = folderGit(root);
  const person = await identity(createGit({ cwd: root }));
  if (!existsSync(join(dir, "HEAD"))) {
    const plain = createGit();
    await must(plain, ["init", "-q", "--bare", "--template=", "-b", "folder", dir]);
    // A person may merge in there, and commit.
    for (const [key, value] of [
      ["core.bare", "false"],
      ["user.name", person["GIT_AUTHOR_NAME"] ?? ""],
      ["user.email", person["GIT_AUTHOR_EMAIL"] ?? ""],
    ] as const)
      await must(plain, ["--git-dir", dir, "config", key, value]);
  }
  await removeDeadLock(dir, undefined, ["index.lock", "HEAD.lock", "refs/heads/folder.lock"]);
  await mkdir(join(dir, "info"), { recursive: true });
  const written = writeFileAtomicSync(join(dir, "info", "attributes"), BYTES_ONLY);
  if (!written.ok) throw new WorkspaceError({ code: "files_in_the_way", message: written.message, hint: written.hint });
  await excludeOnce(dir, [...OTHER_LOOPS, ...own.excludes]);
  return createGit({ cwd: root, env: { ...placeOf(root), ...person }, config: SETTINGS });
}

/** Puts the folder as it is into the index. @throws WorkspaceError if a file cannot be read */
async function readFolder(git: Git, root: string, own: OwnFiles): Promise<void> {
  const added = await git.run(["add", "-A"], { timeout_ms: LONG_MS });
  if (!added.ok)
    throw new WorkspaceError({
      code: "git_failed",
      message: `The files in ${root} cannot be imported: ${added.failure.stderr}`,
      hint: "Make them readable, or put them into .gitignore; then run again.",
    });
  // A state file that was in the folder before it was a loop's.
  const foreign = (await stagedIn(git)).filter(({ path, status }) => status === "A" && own.includes(path));
  const input = foreign.map(({ bytes }) => `${bytes}\0`).join("");
  if (input !== "") await must(git, ["update-index", "--force-remove", "-z", "--stdin"], { input });
}

/** Repositories inside have a history of their own. @returns those of the person, also such as were left out before */
async function leaveNestedOut(git: Git, root: string, own: OwnFiles): Promise<readonly string[]> {
  const listed = fieldsOf(await must(git, ["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]));
  const folders = listed.filter((path) => path.endsWith("/")).map((path) => textOf(path.slice(0, -1)));
  const nested = folders.filter((path) => !own.includes(path) && !/^\.claude\/|\.aot-loop\//.test(path));
  await excludeOnce(
    folderGit(root),
    nested.map((path) => `/${path.replace(/[\\*?[ !#]/g, "\\$&")}`),
  );
  return nested;
}

/** What the index holds and the last commit does not. */
async function stagedIn(git: Git): Promise<Change[]> {
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD^{tree}"]);
  const from = head.ok ? head.stdout.trim() : await must(git, ["hash-object", "-t", "tree", "-w", "--stdin"]);
  return await changesBetween(git, from, await must(git, ["write-tree"]));
}

/** FOLDER-REPOSITORY-3. What the person changed elsewhere stays. */
async function takeBack(git: Git, root: string, note: (text: string) => void): Promise<void> {
  const handing = await git.run(["rev-parse", "-q", "--verify", HANDING]);
  if (!handing.ok) return;
  const wanted = new Map((await changesBetween(git, "HEAD", HANDING)).map(({ bytes, now }) => [bytes, now]));
  await must(git, ["add", "-A"], { timeout_ms: LONG_MS });
  const begun = (await stagedIn(git)).filter(({ bytes }) => wanted.has(bytes));
  const foreign = begun.filter(({ bytes, now }) => wanted.get(bytes)?.oid !== now.oid);
  if (foreign.length > 0) {
    const tree = await must(git, ["write-tree"]);
    const commit = await commitTree(git, tree, ["HEAD"], "The folder as a hand-over that was cut short left it\n");
    await updateRefs(git, [`update refs/aot-folder/found/${commit} ${commit}`]);
    const names = named(foreign.map(({ path }) => path));
    note(
      `A hand-over was cut short, and is taken back. ${names}: as found it is in ${commit.slice(0, 10)} of ${folderGit(root)}.`,
    );
  }
  for (const { bytes, status } of begun)
    if (status === "A") rmSync(bytesIn(root, bytes), { recursive: true, force: true });
  const back = begun.filter(({ status }) => status !== "A");
  const input = back.map(({ bytes }) => `${bytes}\0`).join("");
  const from = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  if (input !== "") await must(git, ["checkout", "-q", "HEAD", ...from], { env: LITERAL, input });
  await updateRefs(git, [`delete ${HANDING}`]);
}

/**
 * Runs a hand-over. In a folder nothing else is imported or written back meanwhile; and where git refuses, what keeps it from it
 * is committed, so that it can be merged.
 * @param to what is to be handed over; null: nothing
 */
export async function writingBack<T extends { readonly merged: boolean }>(
  { root, git, typed }: Repository,
  { to, own }: { readonly to: string | null; readonly own: OwnFiles },
  handOver: () => Promise<T>,
): Promise<T> {
  if (typed !== TYPED_IN_FOLDER || to === null) return await handOver();
  return await alone(root, async () => {
    await updateRefs(git, [`update ${HANDING} ${to}`]);
    const handed = await handOver();
    await updateRefs(git, [`delete ${HANDING}`]);
    if (!handed.merged) await importFolder(root, own, () => {});
    return handed;
  });
}
