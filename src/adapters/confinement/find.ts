/** Which confinement this machine can give (SPEC section 15): found by really trying, never downgraded in silence. */
import { accepted, type Problem, type Refused, refused, type Result } from "../../core/problem.ts";
import { runGroup } from "../../host/process.ts";
import { textAt } from "../../host/regular-file.ts";
import type { Confinement, PlaceUse, ProgramStart, SandboxSetting } from "../../loop/confinement.ts";
import { createContainer } from "./container.ts";
import { limitsHeld } from "./limits.ts";
import { createNamespace } from "./namespace.ts";
import type { ConfinementOptions } from "./place-parts.ts";
import { openSrt } from "./srt.ts";

export interface FindOptions extends ConfinementOptions {
  readonly setting: SandboxSetting;
  /** The image of containers; absent: none are used. */
  readonly image?: string;
  readonly platform?: NodeJS.Platform;
}

export interface FoundConfinement extends Confinement {
  /** How much of the machine a program may take; absent: as much as there is. */
  readonly limits?: string;
}

/** Programs run with all rights, as without confinement. */
export const UNCONFINED: Confinement = {
  kind: "none",
  refusals: new Map(),
  summary: "sandbox: off; agents, checks and set-up run with all your rights",
  enter: (start) =>
    Promise.resolve({ ok: true, start, cwd: start.cwd, leave: () => Promise.resolve({ began: true, refused: [] }) }),
  close: () => Promise.resolve(),
};

/** The strongest that works here. Refused where `require` finds none, with what each lacks. */
export async function findConfinement(options: FindOptions): Promise<Result<FoundConfinement>> {
  if (options.setting === "off") return accepted(UNCONFINED);
  const problems: Problem[] = [];
  for (const open of [namespace, container, srt]) {
    const found = await open(options);
    if (found.ok) return found;
    problems.push(...found.problems);
  }
  if (options.setting === "require") {
    const why = problems.map(({ message }) => message).join("; ");
    return refused(
      `there is no sandbox on this machine: ${why}`,
      problems.flatMap(({ hint }) => hint ?? []).join("; or "),
    );
  }
  const [strongest] = problems;
  return accepted({
    ...UNCONFINED,
    summary: `sandbox: none on this machine, so agents, checks and set-up run with all your rights (${strongest?.message ?? ""}: ${strongest?.hint ?? ""})`,
  });
}

const HELD = "writes to the slot only, no secrets, no network but for allowed hosts, nothing outlives an attempt";

async function namespace(options: FindOptions): Promise<Result<FoundConfinement>> {
  const { platform = process.platform } = options;
  if (platform !== "linux") return refused("namespaces are there on Linux only", "");
  const made = createNamespace(options);
  const wrong = await whyNotHere("namespace", made, options);
  if (wrong === null)
    return accepted({
      kind: "namespace",
      summary: `sandbox: Linux namespaces (${HELD})`,
      limits: limitsHeld(options.limits),
      refusals: new Map(),
      ...made,
    });
  await made.close();
  return wrong;
}

async function container(options: FindOptions): Promise<Result<FoundConfinement>> {
  if (options.image === undefined) return refused("no image for containers is set", "set `sandbox_image`");
  for (const engine of ["podman", "docker"]) {
    const made = createContainer(engine, options.image, options);
    const wrong = await whyNotHere(engine, made, options);
    if (wrong === null)
      return accepted({
        kind: "container",
        summary: `sandbox: ${engine}, ${options.image}`,
        limits: limitsHeld(options.limits),
        refusals: new Map(),
        ...made,
      });
    await made.close();
  }
  return refused(
    `neither podman nor docker runs the image ${options.image}`,
    "install one of them, or name another image",
  );
}

async function srt(options: FindOptions): Promise<Result<Confinement>> {
  const opened = await openSrt(options);
  if (!opened.ok) return opened;
  const wrong = await whyNotHere("srt", opened.value, options);
  if (wrong !== null) {
    await opened.value.close();
    return wrong;
  }
  const summary =
    "sandbox: sandbox-runtime (writes to the slot only, no secrets, network by host; your checkout can be read, and files are not at the project's own path)";
  return accepted({ kind: "srt", summary, refusals: new Map(), ...opened.value });
}

const TRIAL_MS = 20_000;
const TRIAL: PlaceUse = { user: "check", writes: false };

/** What worked in this process: a run opens its sandbox for the plan, for the look at a fresh folder, and for the work. */
const worked = new Set<string>();

/** Null: a program could be run. A machine that is out of processes for a moment is tried again. */
async function whyNotHere(
  name: string,
  place: Pick<Confinement, "enter">,
  { root, home, image = "" }: FindOptions,
): Promise<Refused | null> {
  const known = [name, root, home, image].join("\0");
  if (worked.has(known)) return null;
  const wrong = (await trial(place, root)) === null ? null : await trial(place, root);
  if (wrong === null) worked.add(known);
  return wrong;
}

/** Runs a program that does nothing. */
async function trial({ enter }: Pick<Confinement, "enter">, cwd: string): Promise<Refused | null> {
  const start: ProgramStart = { command: "exit 0", shell: true, cwd, env: process.env };
  const entered = await enter(start, TRIAL);
  if (!entered.ok) return refused(entered.reason, "put right what it names");
  const run = await runGroup({ ...entered.start, timeout_ms: TRIAL_MS });
  await entered.leave(run.exit_code === null);
  if (run.exit_code === 0) return null;
  const said = (run.start_error ?? run.stderr).trim();
  const known = REASONS.find(([pattern]) => pattern.test(said));
  return known === undefined
    ? refused(`the sandbox could not be entered: ${said === "" ? "no reason was given" : said}`, "")
    : refused(`${known[1]} (${said.split("\n").at(-1) ?? ""})`, known[2]());
}

const BUBBLEWRAP = "install bubblewrap: apt install bubblewrap (dnf, pacman and apk name it the same)";

/** What the tools say, what it means, and what helps. */
const REASONS: readonly (readonly [RegExp, string, () => string])[] = [
  [/bwrap: not found|bwrap: No such file/, "bubblewrap is not installed", () => BUBBLEWRAP],
  [/cannot start "unshare"/, "unshare is not installed", () => "install util-linux 2.36 or newer"],
  [
    /mount: .*overlay|unknown filesystem type|special device aot/,
    "the kernel mounts no overlay for ordinary users",
    () => "a kernel from 5.11 on, with overlayfs",
  ],
  [
    /unrecognized option/,
    "unshare or bubblewrap is too old",
    () => "install util-linux 2.36 and bubblewrap 0.5, or newer",
  ],
  [/not permitted|Permission denied|No space left/, "user namespaces are refused here", whatRefuses],
];

function whatRefuses(): string {
  if (flag("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1")
    return "AppArmor restricts them (Ubuntu 23.10 and newer): sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile that allows `userns` to unshare and bwrap";
  if (flag("/proc/sys/kernel/unprivileged_userns_clone") === "0")
    return "sudo sysctl -w kernel.unprivileged_userns_clone=1";
  if (flag("/proc/sys/user/max_user_namespaces") === "0") return "sudo sysctl -w user.max_user_namespaces=15000";
  return "in a container: allow it user namespaces and mounts (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined)";
}

function flag(path: string): string {
  return textAt(path)?.trim() ?? "";
}
