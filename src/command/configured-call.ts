/** A call with the settings behind its flags: a flag that was given wins. */
import { loadConfig, type Config } from "../project/config.ts";
import { SETTING_NAMES, SETTINGS, type SettingName } from "../project/config-schema.ts";
import type { Call } from "./call.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";

/** The call as the project's and the person's settings complete it; an answer where these are not valid. */
export async function configured(
  call: Call,
  project: string,
): Promise<{ readonly call: Call; readonly config: Config } | { readonly answer: Answer }> {
  const loaded = await loadConfig(project, call.io.env);
  if (!loaded.ok) return { answer: { ...failure(loaded.problems, loaded.file), exit: 2 } };
  return { call: completed(call, loaded.value), config: loaded.value };
}

function completed(call: Call, { settings }: Config): Call {
  const byFlag = new Map<string, SettingName>();
  for (const name of SETTING_NAMES) {
    const { flag } = SETTINGS[name];
    if (flag !== undefined) byFlag.set(flag, name);
  }
  const valueOf = (flag: string): Config["settings"][SettingName] => {
    const name = byFlag.get(flag);
    return name === undefined || call.isSet(flag) ? undefined : settings[name];
  };
  return {
    ...call,
    text: (flag) => {
      const value = valueOf(flag);
      return typeof value === "string" ? value : call.text(flag);
    },
    number: (flag) => {
      const value = valueOf(flag);
      return typeof value === "number" ? value : call.number(flag);
    },
    isSet: (flag) => {
      const value = valueOf(flag);
      const name = byFlag.get(flag);
      if (typeof value !== "boolean" || name === undefined) return value !== undefined || call.isSet(flag);
      return value !== (SETTINGS[name].inverse === true);
    },
  };
}
