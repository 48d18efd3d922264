/**
 * Submodules in slots.
 *
 * SUBMODULE-1 they are cloned from the person's own copies where there are some, so that no network is needed and commits
 *    that exist only here are found;
 * SUBMODULE-2 what an attempt did inside a submodule is committed there and carried to the person's copy before the
 *    slot goes; nothing is pushed;
 * SUBMODULE-3 files inside are protected like others: of a submodule whose commit changed each file counts that differs, and
 *    where one of the two commits is not here each file of the other.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { changesBetween, GITLINK, indexLines, type Change, type TreeEntry } from "./change.ts";
import { fieldsOf, LONG_MS, must, textOf, WHOLE_INDEX, type Git, type GitAnswer } from "./git.ts";
import { leftAlone } from "./left-alone.ts";
import { WorkspaceError } from "./problem.ts";
import { editedTree } from "./tree-without.ts";
import { commitTree } from "./tree-merge.ts";
import { exists } from "./slot.ts";

interface Submodule {
  readonly name: string;
  /** Relative to the folder of its superproject. */
  readonly path: string;
}

export async function submodulesOf(git: Git, dir: string): Promise<Submodule[]> {
  if (!(await exists(join(dir, ".gitmodules")))) return [];
  return await listedIn(git.with({ cwd: dir }), ["-f", join(dir, ".gitmodules")]);
}

async function listedIn(git: Git, source: readonly string[]): Promise<Submodule[]> {
  const answer = await git.run(["config", "-z", ...source, "--get-regexp", "^submodule\\..*\\.path$"]);
  return fieldsOf(answer.stdout).map((field) => {
    const end = field.indexOf("\n");
    return { name: textOf(field.slice("submodule.".length, end - ".path".length)), path: textOf(field.slice(end + 1)) };
  });
}

/** The person's side of a checkout, or of a submodule in it. */
export interface OwnCheckout {
  readonly folder: string;
  /** Where the person's copies of its submodules are (`<git dir>/modules`). */
  readonly modules: string;
  readonly note: (text: string) => void;
}

/** @param note called with submodules that stay empty */
export function ownCheckout(
  { root, commonDir }: { readonly root: string; readonly commonDir: string },
  note: (text: string) => void = () => {},
): OwnCheckout {
  return { folder: root, modules: join(commonDir, "modules"), note };
}

/**
 * Fills in the submodules of a fresh slot, nested ones too. One that cannot be had and is empty in the person's
 * checkout as well stays empty.
 * @throws WorkspaceError `submodules_failed`
 */
export async function fillSubmodules(git: Git, dir: string, own: OwnCheckout): Promise<void> {
  for (const { name, path } of await linkedIn(git, dir)) {
    const folder = join(own.folder, path);
    const isYours =
      (await exists(join(own.modules, name, "HEAD"))) || (await readdir(folder).catch(() => [])).length > 0;
    // To fetch it would write to the person's own settings.
    if (!isYours) {
      own.note(`${emptyHere(path)} To have it: git submodule update --init ${path}`);
      continue;
    }
    const answer = await fillOne(git, dir, join(own.modules, name), { name, path });
    if (answer.ok) {
      await fillSubmodules(git, join(dir, path), { ...own, folder, modules: join(own.modules, name, "modules") });
      continue;
    }
    const said = answer.failure.stderr || "no output";
    const inYours = await readdir(folder).catch(() => null);
    if (inYours?.length !== 0)
      throw new WorkspaceError({
        code: "submodules_failed",
        message: `The submodule ${path} could not be checked out in ${dir}: ${said}.`,
        hint: "Run `git submodule update --init --recursive` in your own checkout first; the loop then takes them from there.",
      });
    own.note(`${emptyHere(path)} To have it: git submodule update --init ${path}`);
  }
}

function emptyHere(path: string): string {
  return `The submodule ${path} is empty in your checkout, so attempts and checks have it empty, too.`;
}

async function fillOne(git: Git, dir: string, copy: string, { name, path }: Submodule): Promise<GitAnswer> {
  const from = (await exists(join(copy, "HEAD"))) ? [`submodule.${name}.url=${copy}`] : [];
  return await git.run(["submodule", "--quiet", "update", "--init", "--checkout", "--", path], {
    cwd: dir,
    config: ["protocol.file.allow=always", ...from],
    env: await quietSsh(git, dir),
    timeout_ms: LONG_MS,
  });
}

/** Those that the checked out commit has: `.gitmodules` may name others. */
async function linkedIn(git: Git, dir: string): Promise<Submodule[]> {
  const all = await submodulesOf(git, dir);
  if (all.length === 0) return [];
  const paths = all.map(({ path }) => `:(literal)${path}`);
  const listed = fieldsOf(await must(git, ["ls-files", "-s", "-z", "--", ...paths], { cwd: dir })).map(textOf);
  const links = new Set(listed.filter((line) => line.startsWith(GITLINK)).map((line) => line.replace(/^.*?\t/, "")));
  return all.filter(({ path }) => links.has(path));
}

/** ssh must fail where it would ask; a person's own ssh command is left alone. */
async function quietSsh(git: Git, dir: string): Promise<Record<string, string>> {
  if (process.env["GIT_SSH_COMMAND"] !== undefined || process.env["GIT_SSH"] !== undefined) return {};
  const own = await git.run(["config", "core.sshCommand"], { cwd: dir });
  return own.ok ? {} : { GIT_SSH_COMMAND: "ssh -oBatchMode=yes" };
}

/**
 * SUBMODULE-3. Paths from the top folder, nested submodules included.
 * @param modules where the copies of its submodules are
 * @param tree that the changes lead to
 */
export async function changesInside(...[git, modules, tree, changes]: Parameters<typeof copiesOf>): Promise<string[]> {
  const found: string[] = [];
  for (const { path, folder, there, old, now } of await copiesOf(git, modules, tree, changes)) {
    const [from, to] = [await treeOrNone(there, old), await treeOrNone(there, now)];
    const inner = await changesBetween(there, from, to);
    const below = await changesInside(there, join(folder, "modules"), to, inner);
    found.push(...[...inner.map((change) => change.path), ...below].map((inside) => `${path}/${inside}`));
  }
  return found;
}

type LinkChange = Pick<Change, "path" | "old" | "now">;

/** The person's copies of the submodules among these changes. */
async function copiesOf(
  git: Git,
  modules: string,
  tree: string,
  changes: readonly LinkChange[],
): Promise<(LinkChange & { readonly folder: string; readonly there: Git })[]> {
  const links = changes.filter(({ old, now }) => old.mode === GITLINK || now.mode === GITLINK);
  if (links.length === 0) return [];
  const names = new Map((await listedIn(git, ["--blob", `${tree}:.gitmodules`])).map(({ path, name }) => [path, name]));
  const found: Awaited<ReturnType<typeof copiesOf>> = [];
  for (const link of links) {
    const folder = join(modules, names.get(link.path) ?? link.path);
    const there = git.with({ cwd: folder, env: { GIT_DIR: folder, GIT_WORK_TREE: folder } });
    if (await exists(join(folder, "HEAD"))) found.push({ ...link, folder, there });
  }
  return found;
}

/** Submodules whose commit no remote has, as far as the person's copy knows: SPEC section 6. As `changesInside`. */
export async function unpushedIn(...[git, modules, tree, changes]: Parameters<typeof copiesOf>): Promise<string[]> {
  const found: string[] = [];
  for (const { path, there, now } of await copiesOf(git, modules, tree, changes)) {
    const known = await there.run(["for-each-ref", "--count=1", `--contains=${now.oid}`, "refs/remotes", "refs/tags"]);
    if (now.mode === GITLINK && known.stdout.trim() === "") found.push(`${path} (${now.oid.slice(0, 10)})`);
  }
  return found;
}

async function treeOrNone(git: Git, { mode, oid }: TreeEntry): Promise<string> {
  const isHere = mode === GITLINK && (await git.run(["cat-file", "-e", `${oid}^{commit}`])).ok;
  return isHere ? oid : textOf(await must(git, ["hash-object", "-t", "tree", "--stdin"], { input: "" }));
}

/**
 * SUBMODULE-2. Must run before the slot's own files are committed.
 * @param scratchIndex a new path for a temporary index
 */
export async function keepSubmoduleWork(
  git: Git,
  dir: string,
  modules: string,
  scratchIndex: () => string,
): Promise<void> {
  for (const { name, path } of await submodulesOf(git, dir)) {
    const here = join(dir, path);
    if (!(await exists(join(here, ".git")))) continue;
    await keepSubmoduleWork(git, here, join(modules, name, "modules"), scratchIndex);
    const gitDir = textOf(await must(git, ["rev-parse", "--absolute-git-dir"], { cwd: here }));
    const inside = git.with({ cwd: here, env: { GIT_DIR: gitDir, GIT_WORK_TREE: here }, config: WHOLE_INDEX });
    if ((await must(inside, ["status", "--porcelain"])) !== "") await commitInside(inside, here, scratchIndex);
    await carry(git, here, join(modules, name));
  }
}

/** Of what differs only what the attempt changed (SNAPSHOT-4). */
async function commitInside(inside: Git, dir: string, scratchIndex: () => string): Promise<void> {
  await must(inside, ["add", "-A"]);
  const tree = await must(inside, ["write-tree", "--missing-ok"]);
  const head = await inside.run(["rev-parse", "-q", "--verify", "HEAD"]);
  if (!head.ok) {
    await must(inside, ["commit", "-q", "--no-verify", "-m", MESSAGE]);
    return;
  }
  const base = head.stdout.trim();
  const changes = await changesBetween(inside, base, tree);
  const back = await leftAlone(inside, { dir, base }, changes, scratchIndex);
  const due = back.length === 0 ? tree : await editedTree({ git: inside, scratchIndex }, tree, indexLines(back));
  if ((await changesBetween(inside, base, due)).length === 0) return;
  await must(inside, ["update-ref", "HEAD", await commitTree(inside, due, [base], `${MESSAGE}\n`)]);
}

const MESSAGE = "Work of an attempt inside a submodule";

async function carry(git: Git, from: string, to: string): Promise<void> {
  if (!(await exists(join(to, "HEAD")))) return;
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD"], { cwd: from });
  if (!head.ok) return;
  const commit = head.stdout.trim();
  const target = git.with({ cwd: to, env: { GIT_DIR: to, GIT_WORK_TREE: to } });
  if ((await target.run(["cat-file", "-e", `${commit}^{commit}`])).ok) return;
  await must(target, ["fetch", "-q", "--no-tags", "--no-write-fetch-head", from, `+${commit}:refs/aot/${commit}`], {
    config: ["uploadpack.allowAnySHA1InWant=true"],
  });
}
