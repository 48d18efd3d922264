/**
 * Restate's library, loaded when a worker starts and not before: it is an optional peer dependency, and it expects a
 * function that Node has from version 22 on. Without it an invocation neither fails nor ends, it hangs; so it is
 * given before the library is loaded.
 */
import { importOptional } from "../../../host/optional-package.ts";

export type RestateSdk = typeof import("@restatedev/restate-sdk");

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export type LoadedSdk =
  | { readonly ok: true; readonly sdk: RestateSdk; readonly note?: string }
  | { readonly ok: false; readonly message: string; readonly hint: string };

const NAME = "@restatedev/restate-sdk";

/** @param load imports the library */
export async function loadRestateSdk(load: () => Promise<RestateSdk> = installed): Promise<LoadedSdk> {
  const given = giveWithResolvers();
  try {
    const sdk = await load();
    if (!given) return { ok: true, sdk };
    const note = `Node ${process.versions.node} lacks Promise.withResolvers, which Restate's library needs; it was added. Node 22 or newer is better for workers.`;
    return { ok: true, sdk, note };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      message: `Restate's library cannot be loaded: ${why}`,
      hint: "install it beside aot-loop: npm install @restatedev/restate-sdk",
    };
  }
}

async function installed(): Promise<RestateSdk> {
  return (await importOptional(NAME)) as RestateSdk;
}

/** True: it was missing. */
function giveWithResolvers(): boolean {
  if ("withResolvers" in Promise) return false;
  Object.defineProperty(Promise, "withResolvers", { value: withResolvers, configurable: true, writable: true });
  return true;
}

function withResolvers<T>(this: PromiseConstructor): Deferred<T> {
  let resolve: Deferred<T>["resolve"] = () => {};
  let reject: Deferred<T>["reject"] = () => {};
  const promise = new this<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
