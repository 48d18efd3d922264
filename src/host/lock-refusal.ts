/** Why a lock was not given, in words for the person who waits for it. */
import { hostname } from "node:os";
import type { Holder, Seen } from "./lock-file.ts";
import { wordsFor } from "./write-failure.ts";

export interface LockRefusal {
  readonly ok: false;
  /**
   * `held`: by someone who lives, or who cannot be judged; `unsettled`: it is just changing hands;
   * `unwritable`: the system does not let us write (or read) a lock file there.
   */
  readonly code: "held" | "unsettled" | "unwritable";
  readonly holder: Holder | null;
  readonly message: string;
  readonly hint: string;
}

export function explain(
  path: string,
  seen: Seen | { readonly kind: "unwritable"; readonly errno: string },
): LockRefusal {
  switch (seen.kind) {
    case "held":
      return { ok: false, code: "held", holder: seen.holder, ...heldBy(path, seen.holder) };
    case "garbage":
      return refusal(
        "held",
        `the lock file ${path} names no holder`,
        `it is taken over once it has not changed for 10 s; or delete ${path}`,
      );
    case "free":
      return refusal("unsettled", `the lock ${path} is just changing hands`, "try again");
    case "unreadable":
    case "unwritable": {
      const verb = seen.kind === "unreadable" ? "read" : "write";
      const [, why, hint] = wordsFor(seen.errno);
      return refusal("unwritable", `cannot ${verb} the lock file ${path}: ${why} (${seen.errno})`, hint);
    }
  }
}

function heldBy(path: string, { what, pid, host, since }: Holder): { message: string; hint: string } {
  const message = `${path} is held by "${what}", pid ${pid} on host ${host}, since ${since}`;
  return host === hostname()
    ? { message, hint: `wait for it or end it; if that process is surely gone, delete ${path}` }
    : {
        message,
        hint: `whether it still works cannot be seen from this host; if it is surely gone, delete ${path}`,
      };
}

function refusal(code: LockRefusal["code"], message: string, hint: string): LockRefusal {
  return { ok: false, code, holder: null, message, hint };
}
