/**
 * A lock file that a dead holder cannot keep and a live one never loses (SPEC section 2).
 *
 * LOCK-1 a lock file is removed or replaced only by its holder, or by a contender that knows its holder dead;
 * LOCK-2 whoever replaces a dead holder's file holds, while doing so, the lock named after that holder's
 *    nonce, and has seen the nonce in the file since it took that inner lock. A nonce never returns, so
 *    of any number of contenders one replaces, and the others see another nonce;
 * LOCK-3 the recursion is well-founded: each level belongs to one dead holder of its own;
 * LOCK-4 what cannot be judged (another machine, a process that cannot be seen where the kernel holds no lock for it) is
 *    taken for alive.
 */
import { monotonicMs, pause } from "./clock.ts";
import type { Liveness } from "./liveness.ts";
import {
  bears,
  letGo,
  livenessOfHolder,
  look,
  newHolder,
  place,
  remove,
  replace,
  type Holder,
  type Manner,
  type Placing,
  type Seen,
} from "./lock-file.ts";
import { sweepLockLeftovers } from "./lock-sweep.ts";
import { wordsFor } from "./write-failure.ts";

export type { Holder } from "./lock-file.ts";

export interface LockOptions extends Manner {
  /** What the lock is held for; shown to those who wait. */
  readonly what: string;
  /** How long to wait for one and the same live holder, in milliseconds. */
  readonly timeout_ms?: number;
}

export interface Lock {
  readonly ok: true;
  readonly path: string;
  readonly holder: Holder;
  /** The lock was taken over from a dead holder: what it guards may be half done. */
  readonly taken_over: boolean;
  /**
   * Puts the file back when somebody removed or garbled it.
   * @returns the living process that has the lock by now instead; null: it is ours
   */
  keep(): Holder | null;
  /** Gives the lock back. Idempotent; removes the file only if it still bears this holder. */
  release(): void;
}

export type LockAnswer = Lock | LockRefusal;

/** A file without a readable holder is taken over when it has not changed for this long. */
const STALE_GARBAGE_MS = 10_000;
/** Longest time that takeovers by others may keep `tryLockSync` from a definite answer. */
const UNSETTLED_MS = 2000;
const LONGEST_PAUSE_MS = 24;
const DEEPEST_TAKEOVER = 16;

/** Nonces of the locks that this thread holds. */
const holding = new Set<string>();

/**
 * Takes the lock, waiting (this thread blocks) up to `timeout_ms` (default 10 s) for a live holder. Each new holder is
 * waited for anew: a lock that goes from hand to hand among many comes round, whoever is served first.
 * Refused at once when this very thread holds it: waiting could never end.
 */
export function acquireLockSync(path: string, options: LockOptions): LockAnswer {
  const patience = options.timeout_ms ?? 10_000;
  let nonce = "";
  let end = monotonicMs() + patience;
  return settle(path, options, ({ holder }) => {
    if (holder !== null && holder.nonce !== nonce) {
      ({ nonce } = holder);
      end = monotonicMs() + patience;
    }
    return monotonicMs() < end;
  });
}

/** Takes the lock or answers who holds it; waits only while a dead holder's lock is changing hands. */
export function tryLockSync(path: string, options: LockOptions): LockAnswer {
  const end = monotonicMs() + UNSETTLED_MS;
  return settle(path, options, (refusal) => refusal.code === "unsettled" && monotonicMs() < end);
}

/** Who holds the lock: null when it is free or its holder is dead. Reads only. */
export function holderOf(path: string): Holder | null {
  const named = namedIn(path);
  return named === null || named.liveness === "dead" ? null : named.holder;
}

/** Who is written in the lock file, dead or alive: null when nobody is. Reads only. */
export function namedIn(path: string): { readonly holder: Holder; readonly liveness: Liveness } | null {
  const seen = look(path);
  return seen.kind === "held" ? { holder: seen.holder, liveness: livenessOfHolder(path, seen.holder) } : null;
}

/** Learns whether the holder of a lasting lock is dead: what else its process held is free then, too. */
export function noteDeath(path: string): void {
  namedIn(path);
}

function settle(path: string, options: LockOptions, goOn: (refusal: LockRefusal) => boolean): LockAnswer {
  for (let tries = 0; ; tries++) {
    const answer = attempt(path, path, options, 0);
    if (answer.ok) {
      if (answer.taken_over) sweepLockLeftovers(path);
      return answer;
    }
    const hopeless = answer.code === "unwritable" || (answer.holder !== null && holding.has(answer.holder.nonce));
    if (hopeless || !goOn(answer)) return answer;
    pause(1 + Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** tries));
  }
}

/** @param family path of the outermost lock, from which the inner ones are named */
function attempt(family: string, path: string, options: LockOptions, depth: number): LockAnswer {
  const seen = look(path);
  if (isStale(path, seen)) return takeOver(family, { path, key: seen.key }, options, depth);
  if (seen.kind !== "free") return explain(path, seen);
  const holder = newHolder(options.what);
  return answerOf(path, holder, place(path, holder, options), false);
}

type Stale = Extract<Seen, { key: string }>;

function isStale(path: string, seen: Seen): seen is Stale {
  if (seen.kind === "garbage") return seen.age_ms > STALE_GARBAGE_MS;
  return seen.kind === "held" && livenessOfHolder(path, seen.holder) === "dead";
}

/** LOCK-2. */
function takeOver(
  family: string,
  { path, key }: { readonly path: string; readonly key: string },
  options: LockOptions,
  depth: number,
): LockAnswer {
  if (depth >= DEEPEST_TAKEOVER) return explain(path, { kind: "free" });
  const inner = attempt(family, `${family}.${key}`, { ...options, what: `taking over ${path}` }, depth + 1);
  if (!inner.ok) return inner.code === "held" ? { ...inner, code: "unsettled" } : inner;
  try {
    const seen = look(path);
    if (!isStale(path, seen) || seen.key !== key) return explain(path, { kind: "free" });
    const holder = newHolder(options.what);
    return answerOf(path, holder, replace(path, holder, options), true);
  } finally {
    inner.release();
  }
}

function answerOf(path: string, holder: Holder, placing: Placing, takenOver: boolean): LockAnswer {
  if (placing !== "taken" && "nonce" in placing) return held(path, placing, takenOver);
  letGo(holder);
  return explain(path, placing === "taken" ? { kind: "free" } : { kind: "unwritable", errno: placing.errno });
}

function held(path: string, holder: Holder, takenOver: boolean): Lock {
  const manner = { lasting: holder.device !== undefined };
  holding.add(holder.nonce);
  return {
    ok: true,
    path,
    holder,
    taken_over: takenOver,
    keep: () => {
      if (!holding.has(holder.nonce)) return null;
      const seen = look(path);
      if (seen.kind === "held" && seen.key === holder.nonce) return null;
      if (seen.kind === "held" && livenessOfHolder(path, seen.holder) !== "dead") return seen.holder;
      // Where nothing stands whoever comes first has it; garbage is nobody's.
      if (seen.kind === "free") place(path, holder, manner);
      else replace(path, holder, manner);
      return null;
    },
    release: () => {
      if (!holding.delete(holder.nonce)) return;
      if (bears(path, holder)) remove(path);
      // A file that cannot be removed is held until this process ends.
      if (!bears(path, holder)) letGo(holder);
    },
  };
}

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

function explain(path: string, seen: Seen | { readonly kind: "unwritable"; readonly errno: string }): LockRefusal {
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

function heldBy(path: string, holder: Holder): { message: string; hint: string } {
  const { what, pid, host, since } = holder;
  const message = `${path} is held by "${what}", pid ${pid} on host ${host}, since ${since}`;
  const hint = livenessOfHolder(path, holder) === "unknown" ? howToDecide(path) : "wait for it or end it";
  return { message, hint };
}

/** What to do about a holder of whom nothing is known. */
export function howToDecide(path: string): string {
  return `whether it still works cannot be seen from here (another machine or container); if it is surely gone, delete ${path}`;
}

function refusal(code: LockRefusal["code"], message: string, hint: string): LockRefusal {
  return { ok: false, code, holder: null, message, hint };
}
