/**
 * The user's own `git`, called without a shell.
 *
 * GIT-1 only the arguments decide which repository is meant: inherited GIT_DIR and its kin are removed;
 * GIT-2 nothing waits for a person or a daemon: no prompt, pager, editor, hook, signature, gc or fsmonitor;
 * GIT-3 every call is bounded in time and output, and is its own process group, so that Ctrl-C in a terminal
 *    does not cut an integration in two;
 * GIT-4 a failing command is a value;
 * GIT-5 an object is what its name says: `refs/replace` is not followed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isEngineKey } from "../../host/process-start.ts";
import { MARK_VARIABLE, nextMark } from "../../host/process-group.ts";
import { withoutCredentials } from "./credentials.ts";
import { WorkspaceError, type WorkspaceProblem } from "./problem.ts";

export interface GitFailure {
  readonly kind: "not_installed" | "timeout" | "too_much_output" | "failed";
  /** As a person would type it, without our `-c` options. */
  readonly command: string;
  readonly exit_code: number | null;
  /** Last 2,000 characters. */
  readonly stderr: string;
}

/** `stdout` holds one character per byte: file names need not be UTF-8. `textOf` decodes. */
export type GitAnswer =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly stdout: string; readonly failure: GitFailure };

export interface GitCall {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Further `-c` settings. */
  readonly config?: readonly string[];
  readonly input?: string;
  /** Milliseconds; 2 minutes unless said. */
  readonly timeout_ms?: number;
}

export interface Git {
  run(args: readonly string[], call?: GitCall): Promise<GitAnswer>;
  /** The same git with other defaults: folder, environment, settings. */
  with(defaults: GitCall): Git;
}

const MAX_OUTPUT = 256 * 1024 * 1024;
const STDERR_TAIL = 2_000;
export const LONG_MS = 10 * 60_000;

const KEPT_VARIABLES =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|EXEC_PATH|SSL_.*|HTTP_.*|PROXY.*|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|(AUTHOR|COMMITTER)_(NAME|EMAIL)|CEILING_DIRECTORIES|ALLOW_PROTOCOL|LFS_.*)$/;

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.quotepath=off",
  "core.fsmonitor=false",
  "core.safecrlf=false",
  "core.filesRefLockTimeout=10000",
  "core.packedRefsTimeout=10000",
  "commit.gpgsign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "log.showSignature=false",
  "color.ui=false",
  "merge.autostash=false",
  "advice.detachedHead=false",
  "i18n.commitEncoding=UTF-8",
  "i18n.logOutputEncoding=UTF-8",
].flatMap((setting) => ["-c", setting]);

/** An index that is one plain file and hides nothing, and every file in it is looked at. */
export const PLAIN_INDEX = [
  "core.splitIndex=false",
  "core.untrackedCache=false",
  "core.ignoreStat=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "index.sparse=false",
] as const;

/** The same where sparse checkouts are none of git's concern. */
export const WHOLE_INDEX = [...PLAIN_INDEX, "core.sparseCheckout=false", "core.bare=false"] as const;

/** Environment in which paths are nothing but paths. */
export const LITERAL = { GIT_LITERAL_PATHSPECS: "1" } as const;

/** @param defaults folder, environment and settings of every call */
export function createGit(defaults: GitCall = {}): Git {
  return {
    run: (args, call = {}) => runGit(args, merged(defaults, call)),
    with: (more) => createGit(merged(defaults, more)),
  };
}

function merged(a: GitCall, b: GitCall): GitCall {
  return { ...a, ...b, env: { ...a.env, ...b.env }, config: [...(a.config ?? []), ...(b.config ?? [])] };
}

/** The guardian finds by it what a killed loop left running: git must not go on behind the next run's back. */
function marked(outer: string | undefined): string {
  return outer === undefined || outer === "" ? nextMark() : `${outer}:${nextMark()}`;
}

/** Signals of a terminal, which nobody here sends. */
const TERMINAL_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(["SIGINT", "SIGHUP", "SIGQUIT"]);

/**
 * GIT-3. Between its fork and its own session a child still belongs to our group: a Ctrl-C of that moment ends it before it
 * is git. It has done nothing, and is started again.
 */
function runGit(args: readonly string[], call: GitCall, more = 3): Promise<GitAnswer> {
  const command = `git ${args.join(" ")}`;
  return new Promise((resolve) => {
    const child = spawn("git", [...SETTINGS, ...(call.config ?? []).flatMap((setting) => ["-c", setting]), ...args], {
      cwd: call.cwd,
      env: { ...cleanEnvironment(process.env), ...call.env, [MARK_VARIABLE]: marked(process.env[MARK_VARIABLE]) },
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const out: Buffer[] = [];
    let size = 0;
    let stderr = "";
    let kind: GitFailure["kind"] = "failed";
    const give = (exit_code: number | null, signal: NodeJS.Signals | null = null): void => {
      clearTimeout(timer);
      if (signal !== null && TERMINAL_SIGNALS.has(signal) && size === 0 && stderr === "" && more > 0)
        return resolve(runGit(args, call, more - 1));
      const stdout = Buffer.concat(out).toString("latin1");
      if (exit_code === 0 && kind === "failed") resolve({ ok: true, stdout });
      else resolve({ ok: false, stdout, failure: { kind, command, exit_code, stderr: stderr.trim() } });
    };
    const cut = (why: GitFailure["kind"]): void => {
      kind = why;
      killGroup(child);
    };
    const timer = setTimeout(() => {
      cut("timeout");
    }, call.timeout_ms ?? 120_000);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) cut("too_much_output");
      else out.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-STDERR_TAIL);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      // Node says ENOENT for a missing folder too.
      const folder = call.cwd === undefined || existsSync(call.cwd);
      if (error.code === "ENOENT" && folder) kind = "not_installed";
      stderr = folder ? error.message : `the folder ${call.cwd} does not exist`;
      give(null);
    });
    child.on("close", give);
    // A git that ends early closes its input; that is reported by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(call.input ?? "", "latin1");
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

/** The environment without what would lead git to another repository (GIT-1). */
export function withoutPlace(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean => !name.startsWith("GIT_") || KEPT_VARIABLES.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name.toUpperCase())));
}

/** What git may see of our environment (GIT-1, GIT-2). */
function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = Object.entries(withoutPlace(env)).filter(([name, value]) => !isEngineKey(name, value ?? ""));
  return {
    // Filters that an agent wrote into the repository's settings run with what git has.
    ...Object.fromEntries(clean),
    LC_ALL: "C",
    LANGUAGE: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_EDITOR: "true",
    GIT_PAGER: "cat",
  };
}

/** Bytes (one per character) as text. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** The place of a path (bytes, one per character) in a folder: file names need not be UTF-8. */
export function bytesIn(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(join(folder, "/")), Buffer.from(path, "latin1")]);
}

/** The fields of `-z` output. */
export function fieldsOf(bytes: string): string[] {
  const fields = bytes.split("\0");
  if (fields.at(-1) === "") fields.pop();
  return fields;
}

/** The trimmed output of a command that has to work. @throws WorkspaceError when it does not */
export async function must(git: Git, args: readonly string[], call?: GitCall): Promise<string> {
  const answer = await git.run(args, call);
  if (!answer.ok) throw new WorkspaceError(gitProblem(answer.failure));
  return answer.stdout.trimEnd();
}

export function gitProblem(failure: GitFailure): WorkspaceProblem {
  if (failure.kind === "not_installed") {
    return {
      code: "git_missing",
      message: `git could not be started: ${failure.stderr}.`,
      hint: "Install git (https://git-scm.com).",
    };
  }
  const said = withoutCredentials(failure.stderr);
  const how = {
    timeout: "took too long and was ended",
    too_much_output: "gave more output than can be read",
    failed: `ended with exit code ${failure.exit_code}`,
  }[failure.kind];
  return {
    code: "git_failed",
    message: `\`${shortened(withoutCredentials(failure.command))}\` ${how}: ${said || "(no output)"}`,
    hint: nextStep(failure),
  };
}

function nextStep(failure: GitFailure): string {
  const said = failure.stderr;
  if (/index\.lock|\.lock': File exists/.test(said))
    return "If no other git is running in that repository, remove the lock file that it names, then run again.";
  if (/dubious ownership/.test(said))
    return "The repository belongs to another user: do what git says there (safe.directory), then run again.";
  if (/No space left/.test(said)) return "Free some space (see `aot clean --all`), then run again.";
  if (/Permission denied/.test(said)) return "Check the rights of the files that it names, then run again.";
  return "Run the command by hand to see more; the loop goes on from here when it is run again.";
}

function shortened(command: string): string {
  return command.length <= 200 ? command : `${command.slice(0, 200)}...`;
}
