/**
 * The settings in force, and where each comes from: the command over the environment over the project's file over the
 * person's own over what the commands do by themselves.
 *
 * CONFIG-1 a setting has one origin; lists and texts are replaced, never joined;
 * CONFIG-2 an unknown key, a value that does not fit and a file that cannot be read are problems: nothing is passed over;
 * CONFIG-3 no setting raises a limit of the goal: in a run they only narrow.
 */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { accepted, problem, type Problem, type Refused, type Result } from "../core/problem.ts";
import type { Type } from "../statefile/field-types.ts";
import { CONFIG, SETTING_NAMES, SETTINGS, variableOf, type SettingName, type Settings } from "./config-schema.ts";
import { readText } from "../host/regular-file.ts";
import { expected } from "../statefile/type-mismatch.ts";

export type Origin =
  /** Its `--set`, or the setting's own flag. */
  | { readonly layer: "command" }
  | { readonly layer: "environment"; readonly variable: string }
  /** `line` is 1-based; absent where the key is in quotes. */
  | { readonly layer: "project" | "user"; readonly file: string; readonly line?: number }
  | { readonly layer: "default" };

export interface Config {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, Origin>>;
  /** The files that were read, the winning one first. */
  readonly files: readonly string[];
}

/** What is wrong, and the file that it is in; none for the command and the environment. */
export interface BadConfig {
  readonly ok: false;
  readonly problems: readonly Problem[];
  readonly file?: string;
}

/** A setting in words: of the command, or of the environment. */
export interface Worded {
  readonly name: SettingName;
  /** Each one is an item of a list; of anything else there is one. */
  readonly texts: readonly string[];
  /** Who says it, for messages: `--set parallel`. */
  readonly by: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of the project's file; one of them. */
const PROJECT_FILES = ["aot.config.yaml", "aot.config.yml"] as const;
/** Names another file in the place of the project's, or `none`: no file is read. */
const NAMED_BY = "AOT_CONFIG";

/**
 * Reads the settings of a project (SPEC section 10). Loads the YAML reader only where there is a file.
 * @param project its folder; the file may be in one above it, up to the repository's root
 * @param said what the command says of settings
 */
export async function loadConfig(
  project: string,
  env: Environment,
  said: readonly Worded[] = [],
): Promise<{ readonly ok: true; readonly value: Config } | BadConfig> {
  const layers: Layer[] = [];
  for (const layer of [wordedLayer(said, () => ({ layer: "command" })), environmentLayer(env)]) {
    if (!layer.ok) return layer;
    layers.push(layer.value);
  }
  for (const place of env[NAMED_BY] === "none" ? [] : [projectPlace(project, env), userPlace(env)]) {
    if (!place.ok) return place;
    if (place.value === null) continue;
    const read = await readLayer(place.value);
    if (!read.ok) return { ...read, file: place.value.file };
    layers.push(read.value);
  }
  return accepted(merged(layers));
}

/** Where a person's own file is looked for; null: this system does not say where home is. */
export function userConfigFile(env: Environment, platform: NodeJS.Platform = process.platform): string | null {
  const folder =
    platform === "win32"
      ? env["APPDATA"]
      : (absolute(env["XDG_CONFIG_HOME"]) ?? (env["HOME"] ? join(env["HOME"], ".config") : undefined));
  return folder === undefined || folder === "" ? null : join(folder, "aot", "config.yaml");
}

/** A relative path there is no place, says the standard of those variables. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

// ── places ──────────────────────────────────────────────────────────────────

interface ConfigFile {
  readonly layer: "project" | "user";
  readonly file: string;
}

function projectPlace(project: string, env: Environment): Result<ConfigFile | null> {
  const named = env[NAMED_BY];
  if (named !== undefined && named !== "") return accepted({ layer: "project", file: resolve(project, named) });
  for (let folder = resolve(project); ; folder = dirname(folder)) {
    const [found, second] = PROJECT_FILES.map((name) => join(folder, name)).filter((file) => existsSync(file));
    if (found !== undefined && second !== undefined)
      return problem("unknown_value", `there are two configurations, ${found} and ${second}`, "keep one of the two");
    if (found !== undefined) return accepted({ layer: "project", file: found });
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return accepted(null);
  }
}

function userPlace(env: Environment): Result<ConfigFile | null> {
  const file = userConfigFile(env);
  return accepted(file === null || !existsSync(file) ? null : { layer: "user", file });
}

// ── layers ──────────────────────────────────────────────────────────────────

interface Layer {
  readonly values: Settings;
  readonly file?: string;
  originOf(name: SettingName): Origin;
}

async function readLayer({ layer, file }: ConfigFile): Promise<Result<Layer>> {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the configuration ${file} cannot be read: ${reason}`;
    return problem("file_unreadable", message, `make it readable, or set ${NAMED_BY}=none`);
  }
  const read = await readSettings(text);
  if (!read.ok) return read;
  const lines = text.split("\n");
  const originOf = (name: SettingName): Origin => {
    const line = lines.findIndex((one) => one.startsWith(`${name}:`)) + 1;
    return { layer, file, ...(line === 0 ? {} : { line }) };
  };
  return accepted({ values: read.value, file, originOf });
}

/** The settings that a configuration's text holds (CONFIG-2). */
export async function readSettings(text: string): Promise<Result<Settings>> {
  if (/^(?:\s*(?:#.*)?(?:\r?\n|$))*$/.test(text.replace(/^\uFEFF/, ""))) return accepted({});
  const { readYamlValue } = await import("../statefile/read-yaml-value.ts");
  const read = readYamlValue(text.replace(/^\uFEFF/, ""), CONFIG, "the configuration");
  if (read.ok) return accepted(read.value as Settings);
  const said = (words: string): string => words.replace("the frontmatter", "the configuration");
  return { ok: false, problems: read.problems.map((problem) => ({ ...problem, message: said(problem.message) })) };
}

function environmentLayer(env: Environment): Result<Layer> {
  const worded = SETTING_NAMES.flatMap((name) => {
    const text = env[variableOf(name)] ?? "";
    return text === "" ? [] : [{ name, texts: [text], by: `the environment variable ${variableOf(name)}` }];
  });
  return wordedLayer(worded, (name) => ({ layer: "environment", variable: variableOf(name) }));
}

function wordedLayer(worded: readonly Worded[], originOf: Layer["originOf"]): Result<Layer> {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const { name, texts, by } of worded) {
    const { type } = SETTINGS[name];
    const items: unknown[] = [];
    for (const text of texts) {
      const value = valueIn(type.kind === "list" ? type.of : type, by, text);
      if (value.ok) items.push(value.value);
      else problems.push(...value.problems);
    }
    values[name] = type.kind === "list" ? items : items[0];
  }
  return problems.length > 0 ? { ok: false, problems } : accepted({ values, originOf });
}

/** CONFIG-1. @param layers the winning one first */
function merged(layers: readonly Layer[]): Config {
  const settings: Record<string, unknown> = {};
  const origins = SETTING_NAMES.map((name): [SettingName, Origin] => {
    const layer = layers.find(({ values }) => values[name] !== undefined);
    if (layer === undefined) return [name, { layer: "default" }];
    settings[name] = layer.values[name];
    return [name, layer.originOf(name)];
  });
  return {
    settings,
    origins: Object.fromEntries(origins) as Config["origins"],
    files: layers.flatMap(({ file }) => (file === undefined ? [] : [file])),
  };
}

/** @param by who says it, for the message */
function valueIn(type: Type, by: string, text: string): Result<unknown> {
  switch (type.kind) {
    case "bool":
      if (text === "true" || text === "1") return accepted(true);
      return text === "false" || text === "0" ? accepted(false) : misfit(type, by, text);
    case "int":
    case "number": {
      const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      const whole = type.kind === "number" || Number.isSafeInteger(value);
      const fits = whole && value >= (type.min ?? -Infinity) && value <= (type.max ?? Infinity);
      return fits ? accepted(value) : misfit(type, by, text);
    }
    case "text":
    case "word":
      return text !== "" && (type.pattern?.test(text) ?? true) ? accepted(text) : misfit(type, by, text);
    default:
      throw new Error(`a setting of the kind ${type.kind} cannot be said in words`);
  }
}

function misfit(type: Type, by: string, text: string): Refused {
  const isNumber = type.kind === "int" || type.kind === "number";
  const from = isNumber && type.min !== undefined ? ` from ${type.min}` : "";
  const to = isNumber && type.max !== undefined ? ` to ${type.max}` : "";
  const right = type.kind === "bool" ? "true or false" : `${isNumber ? "a " : ""}${expected(type)}${from}${to}`;
  return problem("wrong_type", `${by} is ${JSON.stringify(text)}`, `set it to ${right}, or leave it out`);
}
