/** The settings in force for a call: what it says itself wins (`--set KEY=VALUE`, or a flag that has a setting's name). */
import { nearest } from "../../core/nearest.ts";
import { loadConfig, type Config, type Worded } from "../../project/config.ts";
import { SETTING_NAMES, SETTINGS, type SettingName } from "../../project/config-schema.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, FlagSpec } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";

/** Reaches every setting. Which programs run, and with which rights, is a person's decision. */
export const SET: FlagSpec = {
  name: "set",
  value: "KEY=VALUE",
  repeatable: true,
  summary: "Any other setting; `aot doctor --json` lists them.",
  unattended: "absent",
};

/** An answer where what the call, the environment or a file says is not valid. @throws Unusable */
export async function configOf(call: Call, project: string): Promise<Config | { readonly answer: Answer }> {
  const loaded = await loadConfig(project, call.io.env, saidBy(call));
  return loaded.ok ? loaded.value : { answer: { ...failure(loaded.problems, loaded.file), exit: 2 } };
}

/** @throws Unusable for what is no setting, and for one that is said twice */
function saidBy(call: Call): readonly Worded[] {
  const flags = SETTING_NAMES.flatMap((name) => flagFor(name, call));
  const said = new Map<SettingName, Worded>();
  for (const { name, texts, by } of [...call.texts("set").map(assignmentIn), ...flags]) {
    const before = said.get(name);
    if (before !== undefined && SETTINGS[name].type.kind !== "list")
      throw new Unusable(
        before.by === by ? `${by} is given twice` : `${before.by} and ${by} say the same setting`,
        "give it once",
      );
    said.set(name, { name, texts: [...(before?.texts ?? []), ...texts], by });
  }
  return [...said.values()];
}

function flagFor(name: SettingName, call: Call): readonly Worded[] {
  const flag = name.replaceAll("_", "-");
  if (call.isSet(`no-${flag}`)) return [{ name, texts: ["false"], by: `--no-${flag}` }];
  if (!call.isSet(flag)) return [];
  return [{ name, texts: SETTINGS[name].type.kind === "bool" ? ["true"] : call.texts(flag), by: `--${flag}` }];
}

function assignmentIn(text: string): Worded {
  const [, key = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const name = SETTING_NAMES.find((one) => one === key);
  if (name === undefined)
    throw new Unusable(
      `--set ${key}: there is no such setting`,
      nearest(key, SETTING_NAMES, "`aot doctor --json` lists them"),
    );
  if (value === undefined) throw new Unusable(`--set ${key} has no value`, `write --set ${key}=VALUE`);
  return { name, texts: [value], by: `--set ${name}` };
}

/** With every other setting as a flag that no help lists: `--planner none` is `--set planner=none`. */
export function withSettings(listed: readonly FlagSpec[]): readonly FlagSpec[] {
  const settings = SETTING_NAMES.flatMap((setting): readonly FlagSpec[] => {
    const name = setting.replaceAll("_", "-");
    const flag = { name, summary: SETTINGS[setting].doc, unattended: "absent", unlisted: true } as const;
    const isSwitch = SETTINGS[setting].type.kind === "bool";
    return isSwitch ? [flag, { ...flag, name: `no-${name}` }] : [{ ...flag, value: "VALUE", repeatable: true }];
  });
  return [...listed, ...settings.filter(({ name }) => listed.every((one) => one.name !== name))];
}
