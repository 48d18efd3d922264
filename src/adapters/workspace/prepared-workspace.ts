/**
 * Slots that can be worked in: ignored files copied, set-up commands run, ports of their own; attempts and clean
 * checkouts alike, since what is installed is in no commit (SPEC sections 6 and 7).
 *
 * PREPARED-WORKSPACE-1 nothing of it is an attempt's work, after a crash neither: what a slot was prepared with is written down beside it;
 * PREPARED-WORKSPACE-2 a set-up that fails fails the attempt with its reason; where the base case was to be checked it
 *    is not met;
 * PREPARED-WORKSPACE-3 what a set-up does to a protected file in a clean checkout is a difference like any other:
 *    `tampered`.
 */
import { closeSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import { openToAppend } from "../../host/own-file.ts";
import type { PlaceEnvironment, Workspace } from "../../loop/ports.ts";
import { createGit, must, textOf, type Git } from "./git.ts";
import {
  createSharedInstall,
  dependenciesOf,
  lockOf,
  type InstallPlace,
  type LockPlace,
  type SharedInstall,
} from "./shared-install.ts";
import { withoutLock, type LockFile } from "../../core/lock-files.ts";
import { gitOf } from "./folder-repository.ts";
import { ignoredMarks } from "./ignored-work.ts";
import { broughtByLoops, copyIncluded, includedFiles, keepIncluded, type IncludedFiles } from "./included-files.ts";
import { leftIn, writeRecord, type PreparationRecord } from "./preparation-record.ts";
import type { PlacedWorkspace, SlotPlace } from "./slot.ts";
import { createPortSlots, type PortSlot, type PortSlots } from "./port-slots.ts";
import { runSetUp, type SetUp, type SetUpPlace } from "./set-up.ts";

export interface Preparation extends SetUp {
  /** The project: a folder of the person's working tree. */
  readonly root: string;
  /** `AOT_PORT` of the first place. */
  readonly port_base: number;
  /** Whose ports they are, where several workspaces share them; absent: its own. */
  readonly slots?: PortSlots;
  /** `objective.protected`. */
  readonly protected: readonly string[];
  /** The whole environment of set-up commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder for their output: an attempt's goes into the attempt's log. */
  readonly logs: string;
  /** What the project's lock file says, where the settings name no command. A place without it is usable all the same. */
  readonly install?: LockFile;
  /** Command that makes the rest of what installing makes, of the place's own files. */
  readonly build?: string;
  /** Called with what a person should know. */
  readonly onNote?: (message: string) => void;
}

interface Stock {
  readonly options: Preparation;
  readonly slots: PortSlots;
  readonly install: SharedInstall | null;
  /** Top folder of the person's working tree, and where the project lies in it. */
  readonly root: string;
  readonly prefix: string;
  readonly files: readonly string[];
  readonly included: IncludedFiles;
}

export function prepared(inner: Workspace | PlacedWorkspace, options: Preparation): Workspace {
  const slots = options.slots ?? createPortSlots(options.port_base);
  const ports = new Map<string, PortSlot | null>();
  let stock: Stock | null = null;
  let checkouts = 0;
  const leave = (id: string): void => {
    ports.get(id)?.release();
    ports.delete(id);
  };
  const stocked = (): Stock => {
    if (stock === null) throw new Error("the workspace is not open: call open() first");
    return stock;
  };
  const checkoutIn = (place: Checkout, signal?: AbortSignal): Promise<Checkout> =>
    prepareCheckout(stocked(), place, join(options.logs, `checkout-${++checkouts}.log`), signal);
  return {
    ...inner,
    open: async () => {
      stock = await takeStock(options, slots);
      const opened = await inner.open();
      const brought = await broughtByLoops(await gitOf(stock.root), stock.root);
      return brought === null ? opened : { ...opened, notes: [brought, ...opened.notes] };
    },
    start: async (attempt, signal) => {
      const { dir } = await inner.start(attempt);
      const at = "placeOf" in inner ? inner.placeOf(attempt.id) : null;
      const place = await furnish(stocked(), { dir, at }, logOf(options, attempt.id), signal);
      ports.set(attempt.id, place.slot);
      return { dir, env: place.env, ...(place.failed === null ? {} : { failed: place.failed }) };
    },
    integrate: (attempt, work) => {
      leave(attempt.id);
      return inner.integrate(attempt, work);
    },
    shelve: (attempt, reason) => {
      leave(attempt.id);
      return inner.shelve(attempt, reason);
    },
    checkout: async ({ set_up = true, signal, ...use } = {}) => {
      const place = await inner.checkout(use);
      if (!set_up || (place.tampered ?? []).length > 0) return place;
      const ready = await checkoutIn(place, signal);
      const { handed } = place;
      return handed === undefined ? ready : { ...ready, handed: () => handed((other) => checkoutIn(other)) };
    },
    finish: (outcome) => inner.finish(outcome, (place) => checkoutIn(place)),
    close: async () => {
      for (const id of ports.keys()) leave(id);
      await stock?.install?.close();
      await inner.close();
    },
  };
}

/** Where the attempt's own output goes as well. */
function logOf({ logs }: Preparation, id: Attempt["id"]): string {
  return join(logs, `${id.replaceAll(/[^\w.-]/g, "_")}.log`);
}

async function takeStock(options: Preparation, slots: PortSlots): Promise<Stock> {
  const git = await gitOf(options.root);
  const said = await git.run(["rev-parse", "--show-toplevel", "--show-prefix"]);
  const [root = options.root, prefix = ""] = said.ok ? textOf(said.stdout).split("\n") : [];
  const files = await includedFiles(git, root);
  const install = await openInstall(options);
  return { options, slots, install, root, prefix, files, included: await keepIncluded(root, files) };
}

async function openInstall({ install, logs, place }: Preparation): Promise<SharedInstall | null> {
  if (install === undefined) return null;
  const shared = createSharedInstall(install, join(logs, "..", "set-up"), place);
  // What an earlier run left of it is nobody's.
  if (install.movable === true) await shared.close();
  return shared;
}

/** Never rejects for what a set-up does. */
async function furnish(
  stock: Stock,
  { dir, at, settle }: { readonly dir: string; readonly at: SlotPlace | null; readonly settle?: Checkout["settle"] },
  log_file: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly slot: PortSlot | null; readonly env: PlaceEnvironment; readonly failed: string | null }> {
  const { options, root, prefix } = stock;
  const top = resolve(dir, prefix.replaceAll(/[^/]+/g, ".."));
  const slot = await stock.slots.take();
  const env: PlaceEnvironment = slot === null ? {} : { AOT_PORT: String(slot.port) };
  options.place?.share?.(top, null);
  const steps = await stepsFor(stock, { top, dir });
  const isAsItIs = steps.commands.length === 0 && steps.build === undefined;
  if (stock.files.length === 0 && isAsItIs) return { slot, env, failed: null };
  const here = at?.here ?? (await ownGitOf(top));
  const record = async (done: PreparationRecord): Promise<void> => {
    if (at !== null) await writeRecord(at.slot, done);
  };
  // Before the first copy: a crash in between is one, too.
  await record({ copied: stock.files, left: {}, ignored: {} });
  const { copied, problem } = await copyIncluded(root, stock.included, top);
  await record({ copied, left: {}, ignored: {} });
  await settle?.(copied);
  if (problem !== null || isAsItIs) return { slot, env, failed: problem };
  const place = { here, top, dir, log_file, signal, env: { ...options.env, ...env, AOT_ROOT: root } };
  const failed = await runSteps(stock, steps, place);
  if (at !== null) await record({ copied, left: await leftIn(at), ignored: await ignoredMarks(here, top) });
  return { slot, env, failed };
}

/** What is run in one place. */
interface Steps {
  readonly commands: readonly string[];
  /** The last command installs: what else installing makes is made by it. */
  readonly installs: boolean;
  readonly build: string | undefined;
}

async function stepsFor({ options, root, prefix }: Stock, place: LockPlace): Promise<Steps> {
  const { commands, install, build, place: sandbox } = options;
  // The sandbox shows the checkout's packages at their own path: they are the place's, where both want the same.
  const isShown = sandbox?.kind === "namespace";
  const step = async (lock: LockFile): Promise<string | null> => {
    const isLocked = (await lockOf(lock, place)) !== null;
    const wanted = isLocked ? lockOf : dependenciesOf;
    const project = { top: root, dir: resolve(root, prefix) };
    if (isShown && (await wanted(lock, place)) === (await wanted(lock, project))) return null;
    return isLocked ? lock.command : withoutLock(lock);
  };
  const installing = install === undefined ? null : await step(install);
  return {
    commands: installing === null ? commands : [...commands, installing],
    installs: installing !== null,
    // Without packages it only fails.
    build: installing !== null || isShown ? build : undefined,
  };
}

/** @returns why the place is of no use; it is of use without an install */
async function runSteps(
  { options, install: shared }: Stock,
  { commands, installs, build }: Steps,
  place: SetUpPlace & InstallPlace,
): Promise<string | null> {
  beginLog(place.log_file, [...commands, ...(build === undefined ? [] : [build])]);
  let isBuilt = build === undefined;
  const run = async (): Promise<string | null> => {
    isBuilt ||= installs;
    return await runSetUp({ ...options, commands }, place);
  };
  const why = installs && shared !== null ? await shared.into(place, run) : await run();
  if (why !== null && !installs) return why;
  if (why !== null) options.onNote?.(`Attempts and checks go on without an install: ${why}`);
  if (isBuilt || build === undefined || why !== null) return null;
  const unbuilt = await runSetUp({ ...options, commands: [build] }, place);
  if (unbuilt !== null) options.onNote?.(`Attempts and checks go on without what it makes: ${unbuilt}`);
  return null;
}

/** A checkout's own git, as it is before any check has been there. */
async function ownGitOf(top: string): Promise<Git> {
  const git = createGit({ cwd: top });
  const gitDir = textOf(await must(git, ["rev-parse", "--absolute-git-dir"]));
  return git.with({ env: { GIT_DIR: gitDir, GIT_WORK_TREE: top } });
}

function beginLog(path: string, commands: readonly string[]): void {
  const file = openToAppend(path);
  writeSync(file, `set-up: ${commands.join("; ")}\n`);
  closeSync(file);
}

type Checkout = Awaited<ReturnType<Workspace["checkout"]>>;

async function prepareCheckout(
  stock: Stock,
  place: Checkout,
  log_file: string,
  signal: AbortSignal | undefined,
): Promise<Checkout> {
  const { settle } = place;
  const furniture = await furnish(stock, { dir: place.dir, at: null, settle }, log_file, signal);
  // New files are no difference: installing brings some, and none of them was there when the goal was aligned.
  const tampered = (await settle?.(stock.files)) ?? [];
  return {
    ...place,
    env: furniture.env,
    ...(tampered.length > 0 ? { tampered } : {}),
    ...(furniture.failed === null ? {} : { failed: furniture.failed }),
    release: async () => {
      furniture.slot?.release();
      await place.release();
    },
  };
}
