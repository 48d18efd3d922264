import { counted } from "../../core/counted.ts";
import { loadRules } from "../load.ts";
import type { RuleFile } from "../file.ts";
import { ruleFolders } from "../place.ts";
import { judgeAction } from "../verdict.ts";
import type { Run } from "../../command/spec.ts";
import { subjectOf } from "./subject.ts";
import { foundRule } from "./switch.ts";
import { failure } from "../../command/problem-text.ts";

export const run: Run = async (call) => {
  const subject = subjectOf(call);
  const name = call.arg("rule");
  let files: readonly RuleFile[] = await loadRules(ruleFolders(call.io.cwd, call.io.env));
  if (name !== undefined) {
    const found = foundRule(files, name, null);
    if (!found.ok) return failure(found.problems);
    const { rule } = found.value;
    files = [{ ...found.value, rule: rule === null ? null : { ...rule, enabled: true } }];
  }
  const before = await judgeAction(files, subject, "before");
  const after = await judgeAction(files, subject, "after");
  const fired = [...before.fired, ...after.fired];
  const block = [before.block, after.block].filter((one) => one !== null).join("\n\n");
  const rows = fired.map(({ rule, as, decided }) => ({
    rule: rule.name,
    action: rule.action,
    as,
    decided,
    message: rule.message,
  }));
  const tried = files.filter(({ rule }) => rule?.enabled === true).length;
  const outcome = block === "" ? (fired.length === 0 ? "nothing fires" : "it is let through") : "it would be blocked";
  return {
    exit: block === "" ? 0 : 1,
    json: { success: block === "", blocked: block !== "", event: subject.event, tried, fired: rows },
    text: [
      `${outcome} (${counted(tried, "rule")} tried)`,
      ...rows.map((row) => `${row.as}: ${row.rule}${row.decided ? "" : " (not decided in time)"}\n  ${row.message}`),
    ].join("\n"),
  };
};
