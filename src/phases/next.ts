/** What a person types after a run of a phase loop has come to rest (SPEC section 9). */
import { isStrayed, isUndecided } from "../core/converge.ts";
import type { Outcome } from "../core/state.ts";

const NEXT: Readonly<Record<Outcome, string>> = {
  verified:
    "look at the work; the same once more: `aot phases run --restart`, another loop: `aot phases init LOOP.json`",
  stop_requested: "go on with `aot phases run`",
  stalled: "see what fails with `aot log FILE`, help with `aot redirect FILE`, then `aot phases run`",
  max_iterations: "give it more with `aot redirect limit max_iterations N FILE`, then `aot phases run`",
  budget: "raise the limit (--max-..., or `aot redirect limit FILE`), then `aot phases run`",
  or_group_exhausted: "add an alternative with `aot redirect add FILE`, then `aot phases run`",
  deadlock: "see what waits for what with `aot status FILE`, change it with `aot redirect FILE`, then `aot phases run`",
  needs_confirmation: "look at the work, then `aot phases run --confirm` (your word) or `aot phases run --judge AGENT`",
  agent_unavailable: "install it, log in (`aot doctor`) or wait until its limit ends, then `aot phases run`",
  flaky_check:
    "make that check answer the same on the same files, or change it with `aot redirect`, then `aot phases run`",
  tampered: "look at those files and restore them, then `aot phases run`",
};

/** Where nobody decided a person's yes is not enough: it confirms what a judge said (SPEC section 6). */
const UNDECIDED =
  "have a judge decide with `aot phases run --judge AGENT`; or decide yourself: take the branch, look at the work, then `aot state set-status completed --confirm FILE` (to confirm the assertions; `--scores` for scores), then `aot phases run`";

function confirmation(message: string): string {
  if (isStrayed(message))
    return "look at those files; `aot phases run --accept-checkout` takes your checkout as it is now and verifies once more";
  return isUndecided(message) ? UNDECIDED : NEXT.needs_confirmation;
}

/**
 * @param stateFile of the loop that works the phase; absent: it is about the whole
 * @param message of that loop's halt
 */
export function nextOf(outcome: Outcome, stateFile?: string, message = ""): string {
  const words = outcome === "needs_confirmation" ? confirmation(message) : NEXT[outcome];
  return stateFile === undefined
    ? words.replaceAll(" FILE", "")
    : words.replaceAll("FILE", `--state-file ${/^[\w./-]+$/.test(stateFile) ? stateFile : JSON.stringify(stateFile)}`);
}
