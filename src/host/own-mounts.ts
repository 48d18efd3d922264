/**
 * Overlays for a process and those that it starts (SPEC section 16). Who is not root may mount in a namespace of their own
 * only, and Node, which has threads, cannot enter one: the command runs once more, in there, and this process waits for it.
 *
 * OWN-MOUNTS-1 the command keeps its user, terminal, folder and exit code, and has no rights that it had not before: a shell
 *    beside it mounts for it;
 * OWN-MOUNTS-2 signals reach it; it ends at once when this process is killed, and this one by the signal that ended it;
 * OWN-MOUNTS-3 with its last process all mounts are gone. What lies in upper folders stays.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { isatty } from "node:tty";
import { temporaryFolder } from "./temporary-folder.ts";

/** Absolute paths without a line's end; `lower` is seen where `upper` has nothing. */
export interface Overlay {
  readonly lower: string;
  readonly upper: string;
  /** An empty folder on the file system of `upper`. */
  readonly work: string;
  readonly at: string;
}

export interface OwnMounts {
  /** Where to mount: nothing else is in there, and it goes with the process. */
  readonly folder: string;
  /** @returns false: it cannot be mounted */
  mount(overlay: Overlay): Promise<boolean>;
  /** Also where a file in it is open still. @returns false: it is mounted as before */
  unmount(at: string): Promise<boolean>;
}

/** Names the folder to mount in. */
const MOUNTS_VARIABLE = "AOT_OWN_MOUNTS";

/** Answers four lines with one: where, and the overlay's folders; empty ones: it is to be unmounted. */
const MOUNTER = `
trap '' TERM HUP
while IFS= read -r at && IFS= read -r lower && IFS= read -r upper && IFS= read -r work; do
  if [ -z "$lower" ]; then umount -l "$at"
  else mount -t overlay aot -o "lowerdir=$lower,upperdir=$upper,workdir=$work,userxattr" "$at"
  fi >/dev/null 2>&1 && echo yes || echo no
done
`;

/** Starts the mounter and becomes the command, as the user that has no rights in here. */
const STAGE = `
mounter=$1 uid=$2 gid=$3
shift 3
/bin/sh -c "$mounter" <&4 >&4 3>&- &
exec 4>&-
exec unshare --user --map-user="$uid" --map-group="$gid" -- "$@"
`;

const UNSHARE = ["--user", "--map-root-user", "--mount", "--", "/bin/sh", "-c"];

interface Request {
  readonly id: number;
  readonly lines: readonly string[];
}

interface Reply {
  readonly id: number;
  readonly done: boolean;
}

/** The mounts of this process; null: it has none of its own. */
export function ownMounts(): OwnMounts | null {
  return inside;
}

const inside = openInside();

function openInside(): OwnMounts | null {
  const folder = process.env[MOUNTS_VARIABLE];
  if (folder === undefined || process.send === undefined) return null;
  // What this process starts has to ask for its own.
  Reflect.deleteProperty(process.env, MOUNTS_VARIABLE);
  const waiting = new Map<number, (done: boolean) => void>();
  let count = 0;
  process.on("message", ({ id, done }: Reply) => waiting.get(id)?.(done));
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.channel?.unref();
  const ask = async (lines: readonly string[]): Promise<boolean> => {
    if (lines.some((line) => line.includes("\n"))) return false;
    const id = ++count;
    process.channel?.ref();
    const done = await new Promise<boolean>((resolve) => {
      waiting.set(id, resolve);
      process.send?.({ id, lines } satisfies Request);
    });
    waiting.delete(id);
    if (waiting.size === 0) process.channel?.unref();
    return done;
  };
  return {
    folder,
    mount: async ({ at, lower, upper, work }) =>
      !/[,:\\]/.test(lower + upper + work) && (await ask([at, lower, upper, work])),
    unmount: (at) => ask([at, "", "", ""]),
  };
}

/**
 * Runs this process's own command line where it has mounts of its own, and waits for its end.
 * @param env what is in its environment besides
 * @returns its exit code; null: there can be none here
 */
export async function runWithOwnMounts(env: Readonly<Record<string, string>> = {}): Promise<number | null> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const parent = ["/tmp", "/var/tmp"].find(canHold);
  if (process.platform !== "linux" || uid === undefined || gid === undefined || parent === undefined) return null;
  const staged = (command: readonly string[]): string[] => [
    ...UNSHARE,
    STAGE,
    "aot-mounts",
    MOUNTER,
    String(uid),
    String(gid),
    ...command,
  ];
  if (!(await works(staged(["true"])))) return null;
  const folder = temporaryFolder(parent, "aot-mounts");
  const child = spawn("unshare", staged([process.execPath, ...process.execArgv, ...process.argv.slice(1)]), {
    env: { ...process.env, ...env, [MOUNTS_VARIABLE]: folder.path },
    stdio: ["inherit", "inherit", "inherit", "ipc", "pipe"],
  });
  serve(child);
  const release = passSignals(child);
  const [code, signal] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("error", () => resolve([null, null]));
    child.once("exit", (...how) => resolve(how));
  });
  release();
  await folder.remove();
  if (signal === null) return code;
  process.kill(process.pid, signal);
  return 1;
}

/** A home folder is laid over in a sandbox, which a mount in it would hinder. */
function canHold(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK);
    return !`${folder}/`.startsWith(join(homedir(), "/"));
  } catch {
    return false;
  }
}

/** Whether a command can be run there: it is kept from saying why not. */
function works(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("/bin/sh", ["-c", 'exec 4<&0; exec unshare "$@"', "sh", ...args], { timeout: 10_000 }, (error) =>
      resolve(error === null),
    );
  });
}

/** Passes requests on and answers back, in their order. */
function serve(child: ChildProcess): void {
  const mounter = child.stdio[4] as Duplex;
  const asked: number[] = [];
  let isGone = false;
  const answer = (id: number, done: boolean): void =>
    void (child.connected && child.send({ id, done } satisfies Reply));
  mounter.on("error", () => undefined);
  createInterface({ input: mounter })
    .on("line", (line) => answer(asked.shift() ?? 0, line === "yes"))
    .on("close", () => {
      isGone = true;
      for (const id of asked.splice(0)) answer(id, false);
    });
  child.on("message", (message) => {
    const { id, lines } = message as Request;
    if (isGone) return answer(id, false);
    asked.push(id);
    mounter.write(lines.map((line) => `${line}\n`).join(""));
  });
}

/** What a terminal sends reaches all that belong to it. @returns takes it back */
function passSignals(child: ChildProcess): () => void {
  const atTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const pass = (signal: NodeJS.Signals): void => void (!atTerminal && child.kill(signal));
  const end = (): void => void child.kill("SIGTERM");
  process.on("SIGINT", pass).on("SIGHUP", pass).on("SIGTERM", end);
  return () => {
    process.off("SIGINT", pass).off("SIGHUP", pass).off("SIGTERM", end);
  };
}
