/**
 * Where checks are looked at beside a run (SPEC sections 6 and 11): a clean checkout of the commit that the person's branch is
 * at, made usable as an attempt's folder is.
 *
 * FRESH-CHECKOUT-1 nothing of the repository changes; what a killed look left is removed by the next, and by the next run.
 */
import { join } from "node:path";
import { prepared, type Preparation } from "../adapters/workspace/prepared-workspace.ts";
import { importedRepository } from "../adapters/workspace/folder-repository.ts";
import type { Repository } from "../adapters/workspace/repository.ts";
import { makeFreshFolder, removeFreshFolder } from "../adapters/workspace/fresh-folder.ts";
import { ownCheckout } from "../adapters/workspace/submodule.ts";
import { takeStock } from "../adapters/workspace/clean-clone.ts";
import { verdictCheckout } from "../adapters/workspace/verdict-checkout.ts";
import { WorkspaceError } from "../adapters/workspace/problem.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { loopPaths } from "../host/loop-paths.ts";
import type { Confinement } from "../loop/confinement.ts";
import type { Workspace } from "../loop/ports.ts";
import { agentEnvironment } from "../project/agent-restrictions.ts";

export type Checkout = Awaited<ReturnType<Workspace["checkout"]>>;

export interface CheckoutOptions {
  readonly stateFile: string;
  readonly root: string;
  /** How it is made usable; absent: as it comes out of git, without ports. */
  readonly set_up?: Pick<Preparation, "commands" | "timeout_ms" | "port_base" | "install">;
  /** Called with what a person should know of it. */
  readonly onNote?: (message: string) => void;
  readonly place?: Confinement | undefined;
}

export async function openCheckout(options: CheckoutOptions, signal: AbortSignal): Promise<Result<Checkout>> {
  const repository = await importedRepository(options.root, options.stateFile, options.onNote);
  if (!repository.ok) return refused(repository.problem.message, repository.problem.hint);
  try {
    return accepted(await cleanCheckout(options, repository.value, signal));
  } catch (error) {
    if (error instanceof WorkspaceError) return refused(error.problem.message, error.problem.hint);
    throw error;
  }
}

async function cleanCheckout(options: CheckoutOptions, repository: Repository, signal: AbortSignal): Promise<Checkout> {
  const { set_up, root, stateFile, place, onNote } = options;
  const { logs, dir } = loopPaths(stateFile);
  const folder = await makeFreshFolder(dir, repository.root);
  const plain = async (): Promise<Checkout> => {
    const remove = (): Promise<void> => removeFreshFolder(dir);
    const made = await cloneAt(join(folder, "checkout"), repository).catch((error: unknown) =>
      remove().then(() => {
        throw error;
      }),
    );
    return { ...made, release: remove };
  };
  if (set_up === undefined) return await plain();
  const { install } = set_up;
  const workspace = prepared(onlyCheckouts(plain), {
    ...set_up,
    // There is nobody to share it with.
    ...(install === undefined ? {} : { install: { ...install, movable: false } }),
    ...(onNote === undefined ? {} : { onNote }),
    place,
    root,
    logs,
    protected: [],
    env: agentEnvironment(stateFile, process.env, root),
  });
  const { notes } = await workspace.open();
  for (const note of notes) onNote?.(note);
  return await workspace.checkout({ signal });
}

async function cloneAt(dir: string, repository: Repository): Promise<Checkout> {
  const { head, prefix } = repository;
  return await verdictCheckout({
    stock: await takeStock(repository),
    dir,
    commit: head,
    aligned: null,
    prefix,
    own: ownCheckout(repository),
    isProtected: () => false,
    globs: [],
    inside: () => Promise.resolve([]),
    shown: (path) => path,
  });
}

/** Nobody works in it. */
function onlyCheckouts(checkout: () => Promise<Checkout>): Workspace {
  const misuse = (): never => {
    throw new Error("nobody works where a gate is looked at");
  };
  return {
    open: () => Promise.resolve({ base: null, tip: null, integrated: [], reverts: [], notes: [] }),
    start: misuse,
    integrate: misuse,
    shelve: misuse,
    revert: misuse,
    checkout,
    finish: misuse,
    close: () => Promise.resolve(),
  };
}
