import { relative } from "node:path";
import { ruleText, tryExamples, writeNewRule, type NewRule, type WantedRule } from "../edit.ts";
import { ruleFolders, userFolder } from "../place.ts";
import { OPERATORS, RULE_ACTIONS, RULE_EVENTS } from "../match/rule.ts";
import type { Call } from "../../command/call.ts";
import { failure, problemJson, problemText } from "../../command/problem-text.ts";
import { readRule } from "../match/read-rule.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";

export const run: Run = async (call) => {
  const folder = call.isSet("user") ? userFolder(call.io.env) : (ruleFolders(call.io.cwd, call.io.env)[0] ?? null);
  if (folder === null) throw new Unusable("the home folder is unknown", "set HOME, or leave --user out");
  const asking = !call.json && (await call.io.isTerminal(0)) && (await call.io.isTerminal(1));
  const wanted = complete(call) ?? (asking ? await asked(call) : null);
  if (wanted === null) {
    if (asking) return { exit: 1, json: {}, text: "" };
    throw new Unusable(
      "a rule needs a name, a pattern or conditions, and a message",
      "name them, or answer questions on a terminal: `aot rules add`",
    );
  }
  const { rule, examples } = wanted;
  const text = ruleText(rule);
  if (!text.ok) return failure(text.problems);
  const tried = await tryExamples(text.value, examples);
  if (!tried.ok) return failure(tried.problems);
  const written = writeNewRule(folder, rule.name, text.value, call.isSet("force"));
  if (!written.ok) return failure(written.problems);
  const shown = relative(call.io.cwd, written.value);
  const read = readRule(text.value, written.value);
  const warnings = (read.ok ? read.value.warnings : []).map((one) => problemJson(one, shown));
  const count = examples.matches.length + examples.passes.length;
  return {
    exit: 0,
    json: { success: true, rule: rule.name, file: written.value, shadow: rule.shadow, examples: count, warnings },
    text: [
      `written: ${shown}${rule.shadow ? " (in shadow: it is recorded, not enforced)" : ""}`,
      count === 0 ? "it was tried on nothing: `aot rules test` tries it" : `tried on ${count} examples`,
      ...(warnings.length === 0 ? [] : ["perhaps not as it was meant:", ...warnings.map(problemText)]),
    ].join("\n"),
  };
};

function complete(call: Call): NewRule | null {
  const { rule, examples } = known(call);
  return rule.name === "" || rule.message === "" || (rule.pattern === "" && rule.conditions.length === 0)
    ? null
    : { rule, examples };
}

/** What flags and arguments say; what they do not is empty. */
function known(call: Call): NewRule {
  return {
    rule: {
      name: call.arg("name") ?? "",
      event: RULE_EVENTS.find((one) => one === call.text("event")) ?? "bash",
      pattern: call.text("pattern") ?? "",
      conditions: call.texts("condition").map(parseCondition),
      action: RULE_ACTIONS.find((one) => one === call.text("action")) ?? "warn",
      shadow: call.isSet("shadow"),
      message: call.text("message") ?? "",
    },
    examples: { matches: call.texts("matches"), passes: call.texts("passes") },
  };
}

function parseCondition(text: string): WantedRule["conditions"][number] {
  const [, field = "", word = "", pattern = ""] = /^\s*(\S+)\s+(\S+)\s(.+)$/s.exec(text) ?? [];
  const operator = OPERATORS.find((one) => one === word);
  if (operator === undefined || field === "" || pattern === "")
    throw new Unusable(
      `${JSON.stringify(text)} is no condition`,
      `write FIELD OPERATOR PATTERN, the operator being one of ${OPERATORS.join(", ")}`,
    );
  return { field, operator, pattern };
}

/** Null: the person left the questions. */
async function asked(call: Call): Promise<NewRule | null> {
  const { Cancelled, tellCancelled } = await import("../../align/commands/align-questions.ts");
  const { askRule } = await import("./questions.ts");
  try {
    return await askRule(known(call));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    tellCancelled();
    return null;
  }
}
