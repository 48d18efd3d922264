import { loadRules } from "../load.ts";
import type { RuleFile } from "../file.ts";
import { countFirings, recordFirings } from "../fired.ts";
import { ruleFolders } from "../place.ts";
import { switchRule } from "../edit.ts";
import { required, type Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { nearest } from "../../core/nearest.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";

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

/** @param owner whose rule; null: anybody's, as long as only one has the name */
export function foundRule(files: readonly RuleFile[], name: string, owner: RuleFile["owner"] | null): Result<RuleFile> {
  const named = files.filter((file) => file.rule?.name === name && (owner === null || file.owner === owner));
  const [first, second] = named;
  if (first === undefined) {
    const names = files.flatMap(({ rule }) => rule?.name ?? []);
    const known = names.length === 0 ? "there are no rules here; add one with `aot rules add`" : nearest(name, names);
    return refused(`there is no rule ${name}`, known);
  }
  if (second === undefined) return accepted(first);
  return refused(
    `several rules are called ${name}: ${named.map(({ path }) => path).join(", ")}`,
    "rename one of them, or name your own with --user",
  );
}
