/** The settings as `aot doctor` shows them: each value, and where it comes from. */
import { loadConfig, type Config, type Origin } from "../project/config.ts";
import { SETTING_NAMES, SETTINGS, variableOf, type SettingName } from "../project/config-schema.ts";
import type { Finding } from "./finding.ts";

export interface ShownSetting {
  readonly name: SettingName;
  /** Null: nobody set it; `fallback` says what holds. */
  readonly value: unknown;
  readonly fallback: string;
  readonly origin: Origin;
}

export interface Examined {
  readonly finding: Finding;
  /** Empty where the configuration is not valid. */
  readonly settings: readonly ShownSetting[];
  readonly config: Config | null;
}

/** @param project the loop's folder */
export async function examineSettings(
  project: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Examined> {
  const loaded = await loadConfig(project, env);
  if (!loaded.ok) {
    const [first] = loaded.problems;
    const line = first?.at === undefined ? "" : `:${first.at.line}`;
    const place = loaded.file === undefined ? "" : `${loaded.file}${line}: `;
    const detail = `${place}${first?.message ?? "it is not valid"}`;
    const finding: Finding = { name: "configuration", level: "bad", detail, hint: first?.hint ?? "" };
    return { finding, settings: [], config: null };
  }
  const { settings, origins, files } = loaded.value;
  const detail = files.length === 0 ? "no file; `aot.config.yaml` would be one" : files.join(", ");
  return {
    finding: { name: "configuration", level: "good", detail },
    settings: SETTING_NAMES.map((name) => ({
      name,
      value: settings[name] ?? null,
      fallback: SETTINGS[name].fallback,
      origin: origins[name],
    })),
    config: loaded.value,
  };
}

/** `AOT_AGENT`, `/p/aot.config.yaml:3`, `default`. */
export function originText(name: SettingName, origin: Origin): string {
  if (origin.layer === "default") return "default";
  if (origin.layer === "command") return "the command's --set";
  if (origin.layer === "environment") return variableOf(name);
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}
