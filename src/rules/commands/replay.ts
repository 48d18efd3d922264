import { replayRules, type Catch, type Replayed, type RuleReplay } from "../replay.ts";
import { loadRules } from "../load.ts";
import { ruleFolders } from "../place.ts";
import type { Rule } from "../match/rule.ts";
import { interruptible } from "../../command/interrupt.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { choiceOf, countsJson, countsNotes, countsText, placeText, shortPath } from "./transcript-answer.ts";

const SHOWN = 5;

export const run: Run = async (call) => {
  const { cwd, env } = call.io;
  const name = call.arg("rule");
  const files = await loadRules(ruleFolders(cwd, env));
  const rules = files.flatMap(({ rule, problems }) =>
    rule !== null && problems.length === 0 && (name === undefined || rule.name === name) ? [rule] : [],
  );
  if (rules.length === 0)
    return nothingToTry(
      name,
      files.flatMap(({ rule }) => rule?.name ?? []),
    );
  const limit = call.number("limit") ?? SHOWN;
  const replayed = await interruptible(call.io, (signal) =>
    replayRules(rules, choiceOf(call), { cwd, env }, { keep: limit, signal }),
  );
  return replayed.ok ? answerTo(replayed.value, env) : failure(replayed.problems);
};

function nothingToTry(name: string | undefined, known: readonly string[]): Answer {
  const message =
    name === undefined ? "there is no rule here that could be tried" : `there is no rule ${JSON.stringify(name)}`;
  const hint = known.length === 0 ? "make one with `aot rules add`" : `rules: ${known.join(", ")}`;
  return failure([{ code: "refused", message, hint }]);
}

function answerTo({ counts, tried, rules }: Replayed, env: Call["env"]): Answer {
  const catchJson = ({ at, tool, text, decided }: Catch): object => ({ ...at, tool, text, decided });
  return {
    exit: 0,
    json: {
      success: true,
      transcripts: countsJson(counts),
      tried,
      rules: rules.map(({ rule, caught, catches }) => ({
        name: rule.name,
        file: rule.source,
        action: rule.action,
        enabled: rule.enabled,
        caught,
        examples: catches.map(catchJson),
      })),
    },
    text: [countsText(counts), ...rules.map((one) => ruleText(one, tried, env))].join("\n\n"),
    notes: countsNotes(counts),
  };
}

type Call = { readonly env: Readonly<Record<string, string | undefined>> };

function ruleText({ rule, caught, catches }: RuleReplay, tried: number, env: Call["env"]): string {
  const lines = catches.map(
    ({ at, tool, text, decided }) =>
      `  ${placeText(at, env)}  ${tool}: ${text}${decided ? "" : "  (not decided in time)"}`,
  );
  const more = caught > catches.length ? [`  and ${caught - catches.length} more`] : [];
  return [
    `${rule.name}${stateOf(rule)}: would have caught ${caught} of ${tried}  (${shortPath(rule.source, env)})`,
    ...lines,
    ...more,
  ].join("\n");
}

function stateOf({ enabled, shadow, action }: Rule): string {
  return ` (${[action, ...(enabled ? [] : ["disabled"]), ...(shadow ? ["shadow"] : [])].join(", ")})`;
}
