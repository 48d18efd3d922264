/**
 * The person's hooks, run once on all of the work before it is handed over (SPEC section 16).
 *
 * PROJECT-HOOKS-1 they see what `git commit` shows them: HEAD is the commit before the work, index and files hold it, and the
 *    message is in `.git/COMMIT_EDITMSG`;
 * PROJECT-HOOKS-2 they run confined like a check, in a clone that is thrown away;
 * PROJECT-HOOKS-3 what was verified is what is handed over: a hook that changes files is a refusal.
 */
import { accessSync, constants, cpSync, existsSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { errnoOf } from "../../host/write-failure.ts";
import { textAt } from "../../host/regular-file.ts";
import type { Workspace } from "../../loop/ports.ts";
import { runInPlace } from "../../loop/run-in-place.ts";
import { HOOKS } from "./commit-style.ts";
import { named } from "./repository.ts";
import type { HookTerms } from "./workspace-options.ts";

export type Hooked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

interface HookPlace extends HookTerms {
  readonly checkout: Awaited<ReturnType<Workspace["checkout"]>>;
  /** Top folder of the clone, and of the person's checkout. */
  readonly top: string;
  readonly root: string;
  /** Folder of the hooks in the person's checkout, or outside of it. */
  readonly hooks: string;
  readonly commonDir: string;
}

const LIMIT_MS = 10 * 60_000;
const TAIL_BYTES = 2_000;

/** Runs `pre-commit` on the work, then `commit-msg` on each message. @returns the messages, as the hook left them */
export async function hooked(place: HookPlace, messages: readonly string[]): Promise<Hooked<readonly string[]>> {
  const { checkout, top } = place;
  if (checkout.failed !== undefined) return { ok: false, reason: checkout.failed };
  const own = mkdtempSync(join(top, ".aot-hooks-"));
  writeFileSync(join(own, ".gitignore"), "*\n");
  const folder = folderIn(place, own);
  if (folder === null) return { ok: false, reason: `a link is in the place of ${place.hooks}` };
  const [first, second] = HOOKS.map((hook) => join(folder, hook));
  const refused = await run(place, first);
  if (refused !== null) return { ok: false, reason: refused };
  const { put_back, stuck } = (await checkout.between?.()) ?? { put_back: [], stuck: [] };
  const changed = [...put_back, ...stuck];
  if (changed.length > 0)
    return { ok: false, reason: `the hook pre-commit changed what was verified: ${named(changed)}` };
  const file = join(own, MESSAGE);
  const spoken: string[] = [];
  for (const message of messages) {
    writeFileSync(file, message);
    const wrong = await run(place, second, relative(top, file).split(sep).join("/"));
    if (wrong !== null) return { ok: false, reason: `${wrong} (of the message ${JSON.stringify(subjectOf(message))})` };
    spoken.push(`${(textAt(file) ?? message).trimEnd()}\n`);
  }
  return { ok: true, value: spoken };
}

function subjectOf(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

/** The hooks as the commit has them, else a copy of the person's own at their path: some look beside themselves. */
function folderIn({ hooks, root, top, commonDir }: HookPlace, own: string): string | null {
  const inGit = hooks.startsWith(commonDir + sep);
  const way = relative(root, hooks);
  if (!inGit && (way.startsWith("..") || isAbsolute(way))) return hooks;
  const at = inGit ? join(own, "hooks") : join(top, way);
  if (existsSync(at)) return isBelow(top, at) ? at : null;
  if (!isBelow(top, nearest(at))) return null;
  cpSync(hooks, at, { recursive: true });
  return at;
}

function nearest(path: string): string {
  let at = path;
  while (!existsSync(at)) at = join(at, "..");
  return at;
}

function isBelow(top: string, path: string): boolean {
  return `${realpathSync(path)}/`.startsWith(`${realpathSync(top)}/`);
}

const MESSAGE = "COMMIT_EDITMSG";

/**
 * By an alias: git starts a hook's interpreter on every platform, in the top folder. The git directory that a confined hook sees is
 * its own, so that a message goes in and out there.
 * @param message path of its file, from the top folder
 * @returns why it refused; null: it did not
 */
async function run(place: HookPlace, hook: string | undefined, message?: string): Promise<string | null> {
  if (hook === undefined || !isProgram(hook)) return null;
  const { top, place: sandbox, env } = place;
  const way = relative(top, hook);
  const path = way.startsWith("..") || isAbsolute(way) ? hook : `./${way.split(sep).join("/")}`;
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  const inside = `.git/${MESSAGE}`;
  const spoken = `said() { cp "$1" ${inside} && ${quoted} ${inside} && cp ${inside} "$1"; }; said`;
  const alias = `alias.aot-hook=!${message === undefined ? quoted : spoken}`;
  const program = {
    command: "git",
    args: ["-c", alias, "aot-hook", ...(message === undefined ? [] : [message])],
    cwd: top,
    env: { ...env, ...place.checkout.env, GIT_EDITOR: ":" },
    timeout_ms: LIMIT_MS,
    keep_bytes: TAIL_BYTES,
  };
  const ran = await runInPlace(program, { user: "check", writes: true }, sandbox);
  if (ran.exit_code === 0) return null;
  const how =
    ran.start_error !== undefined
      ? `could not be started: ${ran.start_error}`
      : ran.timed_out !== false
        ? `took longer than ${LIMIT_MS / 60_000} minutes`
        : `refused it (exit code ${ran.exit_code ?? "none"})`;
  const said = ran.output.trim();
  return `the hook ${basename(hook)} ${how}${said === "" ? "" : `: ${said}`}`;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    errnoOf(error);
    return false;
  }
}
