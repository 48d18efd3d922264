import { loadRules } from "../load.ts";
import type { RuleFile } from "../file.ts";
import { countFirings, recordFirings } from "../fired.ts";
import { ruleFolders } from "../place.ts";
import { switchRule } from "../edit.ts";
import { required, type Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { foundRule } from "./find.ts";

export const enable: Run = (call) => change(call, { enabled: true, shadow: call.isSet("shadow") });
export const disable: Run = (call) => change(call, { enabled: false });

async function change(call: Call, to: { readonly enabled: boolean; readonly shadow?: boolean }): Promise<Answer> {
  const name = required(call.arg("rule"), "rule");
  const files = await loadRules(ruleFolders(call.io.cwd, call.io.env));
  const found = foundRule(files, name, call.isSet("user") ? "user" : null);
  if (!found.ok) return failure(found.problems);
  const { path } = found.value;
  const done = switchRule(path, to);
  if (!done.ok) return failure(done.problems, path);
  const { enabled, shadow } = done.value;
  if (!enabled && found.value.rule?.enabled === true) recordOverruling(call, found.value, name);
  const standing = !enabled ? "is off" : shadow ? "is in shadow: it is recorded, not enforced" : "is on";
  return { exit: 0, json: { success: true, rule: name, file: path, enabled, shadow }, text: `${name} ${standing}` };
}

/** A rule that is switched off after it has fired was not what the person wants. */
function recordOverruling({ io }: Call, { owner }: RuleFile, rule: string): void {
  const folder = ruleFolders(io.cwd, io.env).find((one) => one.owner === owner);
  if (folder === undefined || (countFirings(folder).counts.get(rule)?.times ?? 0) === 0) return;
  recordFirings(folder, [{ time: new Date().toISOString(), rule, as: "overruled", event: "person" }]);
}
