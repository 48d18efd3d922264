/** A throw-away project folder for workspace tests; git sees no configuration of the machine. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { createGitWorkspace } from "../../../src/adapters/workspace/git-workspace.ts";
import type { Attempt } from "../../../src/core/effect.ts";
import { attemptId } from "../../../src/core/event.ts";
import type { Workspace } from "../../../src/loop/ports.ts";
import type { GitWorkspaceOptions, WorkspaceOptions } from "../../../src/adapters/workspace/workspace-options.ts";

process.env["GIT_CONFIG_GLOBAL"] = join(tmpdir(), "aot-no-such-gitconfig");
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

export type Files = Readonly<Record<string, string>>;

export interface Project {
  readonly root: string;
  /** Output of git in the project, trimmed. */
  git(...args: string[]): string;
  /** The same where the refs of the loop `demo` are: in its own repository while a run is active. */
  loop(...args: string[]): string;
  write(files: Files): Promise<void>;
  options(more?: Partial<WorkspaceOptions>): WorkspaceOptions;
  remove(): Promise<void>;
}

export async function createProject(
  files: Files,
  how: { readonly git?: boolean; readonly folder?: string } = {},
): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "aot-workspace-")));
  const project = projectAt(root);
  await project.write(files);
  if (how.git !== false) {
    project.git("init", "-q", "-b", "main");
    project.git("config", "user.name", "Person");
    project.git("config", "user.email", "person@example.org");
    project.git("add", "-A");
    if (Object.keys(files).length > 0) project.git("commit", "-q", "-m", "first");
  }
  return project;
}

/** A project that goes with the test. */
export async function testProject(files: Files, how: { readonly git?: boolean } = {}): Promise<Project> {
  const project = await createProject(files, how);
  onTestFinished(() => project.remove());
  return project;
}

/** A workspace of worktrees that is not open yet. */
export async function created(options: GitWorkspaceOptions): Promise<Workspace> {
  const made = await createGitWorkspace(options);
  if (!made.ok) throw new Error(made.problem.message);
  return made.value;
}

/** An open one. */
export async function opened(project: Project, more: Partial<GitWorkspaceOptions> = {}): Promise<Workspace> {
  const workspace = await created(project.options(more));
  await workspace.open();
  return workspace;
}

export function projectAt(root: string): Project {
  return {
    root,
    git: (...args) => gitIn(root, ...args),
    loop: (...args) => {
      const line = resolve(root, gitIn(root, "rev-parse", "--git-common-dir"), "aot-loop/demo.git");
      if (!existsSync(line)) return gitIn(root, ...args);
      // No branch of the person's is in there.
      return gitIn(line, ...args.map((arg) => arg.replace(/^main\b/, () => gitIn(root, "rev-parse", "main"))));
    },
    write: (files) => writeFiles(root, files),
    options: (more = {}) => ({
      root,
      stateFile: join(root, ".claude/aot-loop-state.md"),
      dir: join(root, ".claude/aot-loop"),
      loop: "demo",
      run: "r1",
      protected: [],
      ...more,
    }),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

export function gitIn(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}

export async function writeFiles(dir: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
}

export function attemptOf(atom: string, number = 1): Attempt {
  return { id: attemptId(atom, number), atom, role: "worker", number, iteration: 1 };
}

export function workOf(atom: string): Parameters<Workspace["integrate"]>[1] {
  return { description: `Do ${atom}`, summary: `Did ${atom}`, artifacts: [`${atom}.txt`], agent: "claude:opus" };
}

/** One attempt from start to integration; `change` works in its folder. */
export async function work(
  workspace: Workspace,
  atom: string,
  change: (dir: string) => Promise<void>,
  number = 1,
): ReturnType<Workspace["integrate"]> {
  const attempt = attemptOf(atom, number);
  const { dir } = await workspace.start(attempt);
  await change(dir);
  return workspace.integrate(attempt, workOf(atom));
}

/** Text of files in a clean checkout; undefined where there is none. */
export async function integratedFiles(
  workspace: Workspace,
  names: readonly string[],
): Promise<Record<string, string | undefined>> {
  const checkout = await workspace.checkout();
  const texts: Record<string, string | undefined> = {};
  for (const name of names) texts[name] = await readFile(join(checkout.dir, name), "utf8").catch(() => undefined);
  await checkout.release();
  return texts;
}

/** Protected files that are not as they were agreed, by their names in the project. */
export async function tamperedIn(workspace: Workspace): Promise<readonly string[]> {
  const place = await workspace.checkout();
  await place.release();
  return place.tampered ?? [];
}
