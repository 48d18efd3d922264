/**
 * The checkout that a verdict is computed in: a clone of one commit (SPEC section 6).
 *
 * CLEAN-CLONE-1 settings, filters, attributes, refs and the shallow boundary are those of the moment when the run began, and
 *    hooks there are none: when the clone is made nothing of the repository is read but objects, which it borrows;
 * CLEAN-CLONE-2 that those are what their names say is seen by the files that come out (commit-files.ts).
 */
import { mkdir, writeFile } from "node:fs/promises";
import { devNull, homedir } from "node:os";
import { join } from "node:path";
import { textAt } from "../../host/regular-file.ts";
import { removeTree } from "../../host/remove-tree.ts";
import { createGit, fieldsOf, gitProblem, LONG_MS, must, WHOLE_INDEX, type Git } from "./git.ts";
import { readRefs } from "./integration-line.ts";
import { WorkspaceError } from "./problem.ts";
import type { Repository } from "./repository.ts";

/** What a clone is made of beside objects, as it was when the run began (CLEAN-CLONE-1). */
export interface CloneStock {
  /** Folder of objects that is borrowed from. */
  readonly objects: string;
  /** Text of its `.git/config`. */
  readonly config: string;
  readonly files: Readonly<Record<"info/attributes" | "info/exclude" | "aot-attributes" | "shallow", string>>;
  /** Object ids by full ref name. */
  readonly refs: ReadonlyMap<string, string>;
  /** What decides how files come out, as one text. */
  readonly deciding: string;
}

/** Settings that decide how files come out of git, whoever set them. */
const CHECKOUT_SETTING =
  /^(?:filter\..+|lfs\..+|core\.(?:autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode|longpaths|protecthfs|protectntfs|bigfilethreshold|checkroundtripencoding))$/;
/** Of the repository's own settings what a check's git may ask for. */
const REPOSITORY_SETTING =
  /^(?:(?:remote|branch|user|diff|merge)\..+|core\.excludesfile|extensions\.(?:objectformat|partialclone))$/;

/** A partial clone: newer gits say it of the remote alone. */
export const PROMISED = /^(?:extensions\.partialclone|remote\..+\.promisor)$/;

/** To be called before the first attempt of the run. */
export async function takeStock({ git, commonDir }: Pick<Repository, "git" | "commonDir">): Promise<CloneStock> {
  const [all, own, refs, attributesFile] = await Promise.all([
    must(git, ["config", "-z", "--includes", "--list"]),
    must(git, ["config", "-z", "--includes", "--local", "--list"]),
    readRefs(git, []),
    git.run(["config", "--type=path", "core.attributesFile"]),
  ]);
  const kept = [
    ...fieldsOf(all).filter((field) => CHECKOUT_SETTING.test(keyOf(field))),
    ...fieldsOf(own).filter((field) => REPOSITORY_SETTING.test(keyOf(field))),
  ];
  const { XDG_CONFIG_HOME: xdg = join(homedir(), ".config") } = process.env;
  const attributesAt = attributesFile.ok ? attributesFile.stdout.trim() : join(xdg, "git", "attributes");
  const attributes = {
    "info/attributes": textAt(join(commonDir, "info", "attributes")) ?? "",
    "aot-attributes": textAt(attributesAt) ?? "",
  };
  return {
    objects: join(commonDir, "objects"),
    config: configText(commonDir, kept),
    files: {
      ...attributes,
      "info/exclude": textAt(join(commonDir, "info", "exclude")) ?? "",
      shallow: textAt(join(commonDir, "shallow")) ?? "",
    },
    deciding: [...kept.filter((field) => CHECKOUT_SETTING.test(keyOf(field))), ...Object.values(attributes)].join("\0"),
    refs: new Map([...refs].filter(([name]) => !/^refs\/(?:aot\/|heads\/aot\/|stash$)/.test(name))),
  };
}

function keyOf(field: string): string {
  const end = field.indexOf("\n");
  return end < 0 ? field : field.slice(0, end);
}

function configText(commonDir: string, fields: readonly string[]): string {
  const version = fields.some((field) => field.startsWith("extensions.")) ? 1 : 0;
  const first = [`core.repositoryformatversion\n${version}`, "gc.auto\n0"];
  const last = [`lfs.storage\n${Buffer.from(join(commonDir, "lfs")).toString("latin1")}`];
  return [...first, ...last, ...fields].map(settingText).join("");
}

function settingText(field: string): string {
  const key = keyOf(field);
  const [from, to] = [key.indexOf("."), key.lastIndexOf(".")];
  const middle = from === to ? "" : ` "${key.slice(from + 1, to).replaceAll(/["\\]/g, "\\$&")}"`;
  const value = field.slice(key.length + 1).replaceAll(/["\\]/g, "\\$&");
  const shown = value.replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  const given = field === key ? "" : ` = "${shown}"`;
  return `[${key.slice(0, from)}${middle}]\n\t${key.slice(to + 1)}${given}\n`;
}

/**
 * @param dir folder that does not exist yet
 * @returns git in the clone, with the clone's settings and nobody else's
 * @throws WorkspaceError when the commit cannot be checked out, which removes the folder
 */
export async function cleanClone(stock: CloneStock, dir: string, commit: string): Promise<Git> {
  const gitDir = join(dir, ".git");
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: dir, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };
  const git = createGit({ cwd: dir, env, config: [...WHOLE_INDEX, "core.commitGraph=false"] });
  await layOut(stock, gitDir, commit);
  const made = await git.run(["reset", "--hard", "-q"], { timeout_ms: LONG_MS });
  if (made.ok) return git;
  await removeTree(dir);
  throw new WorkspaceError({
    code: "git_failed",
    message: `The commit ${commit.slice(0, 10)} cannot be checked out, so that nothing can be verified: ${gitProblem(made.failure).message}`,
    hint: "`git fsck --full` says which objects are missing or not what their names say; bring them back (`git fetch`), then run again.",
  });
}

/**
 * A repository that borrows all objects, as `git init` would make it: no process is needed for it. One that is there gets its
 * settings again, whatever a program made of them.
 * @param head commit, or `ref: NAME`
 */
export async function layOut({ objects, config, files, refs }: LaidOut, gitDir: string, head: string): Promise<void> {
  for (const folder of ["objects/info", "objects/pack", "info", "refs"])
    await mkdir(join(gitDir, folder), { recursive: true });
  await writeFile(join(gitDir, "objects", "info", "alternates"), `${objects}\n`);
  await writeFile(join(gitDir, "config"), withAttributes(config, gitDir), "latin1");
  for (const [name, text] of Object.entries(files)) if (text !== "") await writeFile(join(gitDir, name), text);
  await writeFile(join(gitDir, "packed-refs"), [...refs].map(([name, oid]) => `${oid} ${name}\n`).join(""));
  await writeFile(join(gitDir, "HEAD"), `${head}\n`);
}

type LaidOut = Pick<CloneStock, "objects" | "config" | "files" | "refs">;

function withAttributes(config: string, gitDir: string): string {
  return config + settingText(`core.attributesFile\n${Buffer.from(join(gitDir, "aot-attributes")).toString("latin1")}`);
}
