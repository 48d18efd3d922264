/** The next step after a run, as a person would type it (SPEC section 9). Pure. */
import { isStrayed, isUndecided } from "../core/converge.ts";
import { outcomeRow, type Outcome } from "../core/outcome.ts";
import type { Call } from "./call.ts";

const STRAYED_STEP =
  "look at those files; `aot run --accept-checkout` takes your checkout as it is now and verifies once more";

/** Where nobody decided a person's yes is not enough: it confirms what a judge said (SPEC section 6). */
const UNDECIDED =
  "have a judge decide with `aot run --judge AGENT`; or decide yourself: take the branch, look at the work, then `aot state set-status completed --confirm` (to confirm the assertions) or `--scores FILE`";

function confirmation(message: string): string {
  if (isStrayed(message)) return STRAYED_STEP;
  return isUndecided(message) ? UNDECIDED : outcomeRow("needs_confirmation").next;
}

/** Flags of a run that nothing remembers: without them the next one has other agents, or another place to work in. */
const NAMED = ["agent", "worker", "probe", "planner", "judge", "sandbox", "max-memory"] as const;

export interface Ended {
  readonly outcome: Outcome;
  /** The outcome in words. */
  readonly message?: string;
  /** Where the work is. */
  readonly place?: string;
}

/** @param run what the run that ended was called with, as `runAgain` has it */
export function nextStep({ outcome, message = "", place = "" }: Ended, run = "aot run"): string {
  const [take] = /\bgit merge (?:--no-overwrite-ignore )?aot\/[\w/+-]+/.exec(place) ?? [];
  // The next goal begins where the project stands: without the work, as long as nobody has taken it.
  if (outcome === "verified" && take !== undefined)
    return `look at the work, take it (\`${take}\`), then align the next goal with \`aot align\``;
  const [, limit] = /^budget spent: (max_(?:cost_usd|duration|attempts_per_atom))\b/.exec(message) ?? [];
  const step =
    outcome === "budget" && limit !== undefined
      ? outcomeRow("budget").next.replace(
          "the limit with `aot redirect limit`",
          `it with \`aot redirect limit ${limit} N\``,
        )
      : outcome === "needs_confirmation"
        ? confirmation(message)
        : outcomeRow(outcome).next;
  const unjudged = withoutJudge(run);
  return step.replaceAll(
    /`aot run( --judge)?/g,
    (_, judge?: string) => `\`${judge === undefined ? run : unjudged + judge}`,
  );
}

/** A command of `runAgain` that leaves space for another judge. */
export function withoutJudge(run: string): string {
  return run.replace(/ --judge (?:'(?:[^']|'\\'')*'|\S+)/, "");
}

/** The command that works the loop once more as this call did. @param command `aot run` @param call as it was given */
export function runAgain(command: string, call: Call): string {
  const named = NAMED.flatMap((flag) => {
    const value = call.text(flag);
    return value === undefined ? [] : [`--${flag} ${quoted(value)}`];
  });
  return [command, ...named, ...(call.isSet("in-place") ? ["--in-place"] : [])].join(" ");
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:,=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
