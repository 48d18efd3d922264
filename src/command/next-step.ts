/** The next step after a run, as a person would type it (SPEC section 9). Pure. */
import { isStrayed, isUndecided } from "../core/converge.ts";
import { outcomeRow, type Outcome } from "../core/outcome.ts";
import type { Call } from "./call.ts";
import type { FlagSpec } from "./spec.ts";

const STRAYED_STEP =
  "look at those files; `aot run --accept checkout` takes your checkout as it is now and verifies once more";

/** When an item is undecided. */
const UNDECIDED =
  "have a judge decide with `aot run --judge AGENT`; or look at the work and decide yourself: `aot confirm ITEM` or `aot reject ITEM --reason WHY`, then `aot run`";

function confirmation(message: string): string {
  if (isStrayed(message)) return STRAYED_STEP;
  return isUndecided(message) ? UNDECIDED : outcomeRow("needs_confirmation").next;
}

export interface Ended {
  readonly outcome: Outcome;
  /** The outcome in words. */
  readonly message?: string;
  /** Where the work is. */
  readonly place?: string;
}

/**
 * @param run what the run that ended was called with, as `runAgain` has it
 * @param where follows other commands: which loop is meant
 */
export function nextStep({ outcome, message = "", place = "" }: Ended, run = "aot run", where = ""): string {
  const [take] = /\bgit (?:--\S+ )*merge (?:--no-overwrite-ignore )?aot\/[\w/+-]+/.exec(place) ?? [];
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
  const again = outcome === "budget" || outcome === "max_iterations" ? run.replaceAll(LIMIT, "") : run;
  const judged = / --(?:judge |set '?judge=)(?!none\b)/.test(again)
    ? step.replace("have a judge", "have another judge")
    : step;
  return judged.replaceAll(/`(aot [^`]*)`/g, (_, command: string) => {
    const [, added] = /^aot run(.*)$/.exec(command) ?? [];
    if (added === undefined) return `\`${command}${where}\``;
    const kept = added === " --judge AGENT" ? withoutJudge(again) : again;
    return `\`${kept}${kept.includes(added) ? "" : added}\``;
  });
}

/** A limit of the run that spent it: a redirect raises that of the loop, and this one would still be in the way. */
const LIMIT = / --(?:max-(?:iterations|cost-usd|duration) |set (?=max_(?:iterations|cost_usd|duration|tokens)=))\S+/g;

/** A command of `runAgain` that leaves space for another judge. */
export function withoutJudge(run: string): string {
  return run.replace(/ --(?:judge |set (?='?judge=))(?:'(?:[^']|'\\'')*'|\S+)/, "");
}

/** The command that works the loop once more as a call did. @param command `aot run` @param words of `wordsAgain` */
export function runAgain(command: string, words: readonly string[]): string {
  return [command, ...words.map(quoted)].join(" ");
}

/** The flags that it is given then, word by word. @param limits whether its limits are among them */
export function wordsAgain(call: Call, flags: readonly FlagSpec[], limits = true): readonly string[] {
  const given = flags.filter(({ name, once }) => once !== true && call.isSet(name));
  const words = given.flatMap(({ name, value: form }) =>
    form === undefined ? [[`--${name}`]] : call.texts(name).map((value) => [`--${name}`, value]),
  );
  return words.filter((one) => limits || ` ${one.join(" ")}`.search(LIMIT) < 0).flat();
}

/** Which loop a call was about, as it has to be said again. */
export function sameLoop({ stateFile }: Call): string {
  return stateFile === undefined ? "" : ` --state-file ${quoted(stateFile)}`;
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:,=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
