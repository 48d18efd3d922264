/**
 * Slots that can be worked in: ignored files copied, set-up commands run, ports of their own; attempts and clean
 * checkouts alike, since what is installed is in no commit (SPEC sections 6 and 7).
 *
 * PREPARED-WORKSPACE-1 nothing of it is an attempt's work: copies and what the set-up changed are out of the folder
 *    before it is read;
 * PREPARED-WORKSPACE-2 a set-up that fails fails the attempt with its reason; where the base case was to be checked it
 *    is not met;
 * PREPARED-WORKSPACE-3 what a set-up does to a protected file in a clean checkout is a difference like any other:
 *    `tampered`;
 * PREPARED-WORKSPACE-4 the order of calls is the inner workspace's order (PORTS-3);
 * PREPARED-WORKSPACE-5 PREPARED-WORKSPACE-1 holds after a crash, too: what a slot was prepared with is written down beside it.
 */
import { closeSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Attempt } from "../../core/effect.ts";
import { openToAppend } from "../../host/own-file.ts";
import type { PlaceEnvironment, Workspace } from "../../loop/ports.ts";
import { protectedBy } from "./change.ts";
import { createGit, textOf } from "./git.ts";
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
import {
  broughtByLoops,
  copyIncluded,
  includedFiles,
  keepIncluded,
  removeCopies,
  type IncludedFiles,
} from "./included-files.ts";
import { writeRecord, type PreparationRecord } from "./preparation-record.ts";
import type { PlacedWorkspace, SlotPlace } from "./slot.ts";
import { createPortSlots, type PortSlot, type PortSlots } from "./port-slots.ts";
import { digestsOf, type Digests } from "./protected-files.ts";
import { runSetUp, type SetUp, type SetUpPlace } from "./set-up.ts";
import { removeTraces, tracesIn, type Trace } from "./set-up-traces.ts";

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

/** How one place was prepared, and how it is emptied. */
interface Prepared {
  readonly slot: PortSlot | null;
  readonly clear: () => Promise<void>;
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
  /** Of the files to be copied the protected ones, as they were when the run began. */
  readonly protectedCopies: Digests;
}

export function prepared(inner: Workspace | PlacedWorkspace, options: Preparation): Workspace {
  const slots = options.slots ?? createPortSlots(options.port_base);
  const places = new Map<string, Prepared>();
  const inOrder = createEntrance();
  let stock: Stock | null = null;
  let checkouts = 0;
  const leave = async (id: string): Promise<void> => {
    const place = places.get(id);
    places.delete(id);
    await place?.clear();
    place?.slot?.release();
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
      places.set(attempt.id, place);
      return { dir, env: place.env, ...(place.failed === null ? {} : { failed: place.failed }) };
    },
    integrate: (attempt, work) =>
      inOrder(
        () => leave(attempt.id),
        () => inner.integrate(attempt, work),
      ),
    shelve: (attempt, reason) =>
      inOrder(
        () => leave(attempt.id),
        () => inner.shelve(attempt, reason),
      ),
    revert: (atoms, reason) => inOrder(nothing, () => inner.revert(atoms, reason)),
    checkout: async ({ set_up = true, signal, ...use } = {}) => {
      const place = await inOrder(nothing, () => inner.checkout(use));
      if (!set_up || (place.tampered ?? []).length > 0) return place;
      const ready = await checkoutIn(place, signal);
      const { handed } = place;
      return handed === undefined ? ready : { ...ready, handed: () => handed((other) => checkoutIn(other)) };
    },
    tampered: () => inOrder(nothing, () => inner.tampered()),
    finish: (outcome) => inOrder(nothing, () => inner.finish(outcome, (place) => checkoutIn(place))),
    close: async () => {
      for (const id of places.keys()) await leave(id).catch(() => undefined);
      await stock?.install?.close();
      await inner.close();
    },
  };
}

const nothing = (): Promise<void> => Promise.resolve();

/**
 * PREPARED-WORKSPACE-4: what prepares a call is done before it and before the next one's, and the calls themselves do
 * not wait.
 */
function createEntrance(): <T>(prepare: () => Promise<void>, call: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (prepare, call) => {
    const turn = last.then(prepare);
    last = turn.catch(() => undefined);
    return turn.then(call);
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
  const isProtected = protectedBy(options.protected);
  const project = resolve(root, prefix);
  const copies = files.some((file) => file.startsWith(prefix) && isProtected(file.slice(prefix.length)));
  const digests = copies ? await digestsOf(project, options.protected) : {};
  const names = new Set(files);
  const protectedCopies = Object.fromEntries(Object.entries(digests).filter(([file]) => names.has(prefix + file)));
  const install = await openInstall(options);
  return { options, slots, install, root, prefix, files, included: await keepIncluded(root, files), protectedCopies };
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
  { dir, at }: { readonly dir: string; readonly at: SlotPlace | null },
  log_file: string,
  signal: AbortSignal | undefined,
): Promise<Prepared & { readonly env: PlaceEnvironment; readonly failed: string | null }> {
  const { options, root, prefix } = stock;
  const top = resolve(dir, prefix.replaceAll(/[^/]+/g, ".."));
  const slot = await stock.slots.take();
  const env: PlaceEnvironment = slot === null ? {} : { AOT_PORT: String(slot.port) };
  options.place?.share?.(top, null);
  const steps = await stepsFor(stock, { top, dir });
  const isAsItIs = steps.commands.length === 0 && steps.build === undefined;
  if (stock.files.length === 0 && isAsItIs) return { slot, env, failed: null, clear: () => Promise.resolve() };
  const { here, commit } = at ?? (await ownGitOf(top));
  const record = async (done: Omit<PreparationRecord, "commit">): Promise<void> => {
    if (at !== null) await writeRecord(at.slot, { commit, ...done });
  };
  // Before the first copy: a crash in between is one, too.
  await record({ copied: stock.files, traces: [], ignored: {} });
  const { copied, problem } = await copyIncluded(root, stock.included, top);
  await record({ copied, traces: [], ignored: {} });
  if (problem !== null || isAsItIs) return { slot, env, failed: problem, clear: () => removeCopies(top, copied) };
  const place = { here, top, dir, log_file, signal, env: { ...options.env, ...env, AOT_ROOT: root } };
  const failed = await runSteps(stock, steps, place);
  const traces: readonly Trace[] = await tracesIn(here, top);
  await record({ copied, traces, ignored: await ignoredMarks(here, top) });
  const clear = async (): Promise<void> => {
    await removeCopies(top, copied);
    await removeTraces(here, top, commit, traces);
  };
  return { slot, env, failed, clear };
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
async function ownGitOf(top: string): Promise<Omit<SlotPlace, "slot">> {
  const git = createGit({ cwd: top });
  const said = await git.run(["rev-parse", "--absolute-git-dir", "HEAD"]);
  const [gitDir = "", commit = ""] = textOf(said.stdout).split("\n");
  return { here: git.with({ env: { GIT_DIR: gitDir, GIT_WORK_TREE: top } }), commit };
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
  const { options, protectedCopies } = stock;
  const isSetUp = options.commands.length > 0 || options.install !== undefined;
  const before = isSetUp ? await digestsOf(place.dir, options.protected) : {};
  const furniture = await furnish(stock, { dir: place.dir, at: null }, log_file, signal);
  const due = { ...before, ...protectedCopies };
  const after = Object.keys(due).length > 0 ? await digestsOf(place.dir, options.protected) : {};
  // New files are no difference: installing brings some, and none of them was there when the goal was aligned.
  const tampered = Object.keys(due).filter((file) => due[file] !== after[file]);
  await place.settle?.(stock.files);
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
