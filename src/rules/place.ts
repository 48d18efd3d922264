/** Where guard rules lie (SPEC section 12): the project's and the user's own, both in a folder for a client's settings. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ruleFileName } from "./match/rule.ts";

export interface RuleFolder {
  readonly owner: "project" | "user";
  /** The `.claude` folder. */
  readonly dir: string;
  /** The quick front found its mark younger than all of its rules, and this in it: what was read of them last. */
  readonly stamp?: string;
}

/** What is kept beside the rules. None of it is needed: without it everything is read anew. */
export interface RulePaths {
  readonly dir: string;
  /** One line for the hooks' quick front: `4 NUMBER STAMP EVENTS`, see `mark.ts`. */
  readonly mark: string;
  /** The rules as they were read last, by file. */
  readonly cache: string;
  /** One line for each time that a rule fired. */
  readonly fired: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function rulePaths({ dir }: RuleFolder): RulePaths {
  const own = join(dir, "aot-rules");
  return { dir: own, mark: join(own, "mark"), cache: join(own, "read"), fired: join(own, "fired.jsonl") };
}

/**
 * The folders whose rules hold in a project: the nearest first, where a new rule is written, and the user's own last.
 * @param cwd a folder of the project
 */
export function ruleFolders(cwd: string, env: Environment): readonly RuleFolder[] {
  const project = projectFolders(cwd).map((dir): RuleFolder => ({ owner: "project", dir }));
  const user = userFolder(env);
  return user === null || project.some(({ dir }) => isSame(user.dir, dir)) ? project : [...project, user];
}

/** The files of the rules that hold in a project, without the user's own. */
export function ruleFilesOf(project: string): readonly string[] {
  return projectFolders(project).flatMap((dir) => ruleFilesIn(dir).names.map((name) => join(dir, name)));
}

/** Null: the home folder is unknown. */
export function userFolder(env: Environment): RuleFolder | null {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  const dir = env["CLAUDE_CONFIG_DIR"] || (home === "" ? "" : join(home, ".claude"));
  return dir === "" ? null : { owner: "user", dir: resolve(dir) };
}

/**
 * Each `.claude` at or above `cwd` that holds rules, no further up than the repository: those of a folder in it do not switch
 * off the root's. None there: the nearest `.claude`, or that of the repository's root, or of `cwd`.
 */
function projectFolders(cwd: string): readonly string[] {
  const found: string[] = [];
  let claude: string | null = null;
  for (let here = resolve(cwd); ; here = dirname(here)) {
    const dir = join(here, ".claude");
    const { names, why } = ruleFilesIn(dir);
    if (names.length > 0 || why !== null) found.push(dir);
    if (claude === null && existsSync(dir)) claude = dir;
    const isRoot = existsSync(join(here, ".git"));
    if (!isRoot && dirname(here) !== here) continue;
    return found.length > 0 ? found : [claude ?? join(isRoot ? here : resolve(cwd), ".claude")];
  }
}

export interface RuleNames {
  /** Sorted. */
  readonly names: readonly string[];
  /** Why they are not known; null: these are all. */
  readonly why: string | null;
}

/** Names of the rule files in a `.claude` folder. */
export function ruleFilesIn(dir: string): RuleNames {
  try {
    const names = readdirSync(dir).filter((name) => ruleFileName(name) !== null);
    return { names: names.sort(), why: null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // No folder: no rules. One that cannot be read may hold some.
    return { names: [], why: code === "ENOENT" || code === "ENOTDIR" ? null : message };
  }
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync.native(one) === realpathSync.native(other);
  } catch {
    return one === other;
  }
}
