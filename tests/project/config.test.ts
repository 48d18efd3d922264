/** Settings: which value wins, what is refused, and that what is published says the same (SPEC sections 4 and 10). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig, readSettings, userConfigFile } from "../../src/project/config.ts";
import { SETTING_NAMES, SETTINGS, variableOf, type SettingName } from "../../src/project/config-schema.ts";
import { settingsMarkdown } from "../support/field-tables.ts";
import { configJsonSchema } from "../support/json-schema.ts";
import { DURATION } from "../../src/core/fuel.ts";
import { aot, aotJson, projectWith } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { withSection } from "../support/docs.ts";

// ── which value wins ────────────────────────────────────────────────────────

/** A value that the setting takes, as YAML and as the environment spells it. */
function valueFor(name: SettingName): fc.Arbitrary<string> {
  const { type } = SETTINGS[name];
  if (type.kind === "bool") return fc.constantFrom("true", "false");
  if (type.kind === "int") return fc.integer({ min: type.min ?? 0, max: 60_000 }).map(String);
  if (type.kind === "number")
    return fc.integer({ min: 0, max: 100 * (type.max ?? 100) }).map((cents) => String(cents / 100));
  if (type.kind === "text" && type.pattern === DURATION) return fc.integer({ min: 1, max: 99 }).map((n) => `${n}m`);
  if (type.kind === "text" && type.pattern !== undefined) return fc.stringMatching(type.pattern);
  return fc.stringMatching(/^[a-z][a-z0-9_:-]{0,12}[a-z]$/).filter((word) => !/^(true|false|null|yes|no)$/.test(word));
}

const yamlOf = (name: SettingName, value: string): string =>
  SETTINGS[name].type.kind === "list" ? `${name}: [${value}]` : `${name}: ${value}`;

function read(name: SettingName, value: string): unknown {
  const { kind } = SETTINGS[name].type;
  if (kind === "list") return [value];
  return kind === "bool" ? value === "true" : kind === "int" || kind === "number" ? Number(value) : value;
}

const LAYERS = ["environment", "project", "user"] as const;

test("CONFIG-1: environment over project over user over default, for every setting and every set of layers", async () => {
  const dir = temporaryFolder();
  const [project, home] = [join(dir, "project"), join(dir, "home")];
  mkdirSync(project);
  mkdirSync(join(home, ".config", "aot"), { recursive: true });
  const given = (name: SettingName): fc.Arbitrary<string | null> => fc.option(valueFor(name));
  const layers = fc
    .constantFrom(...SETTING_NAMES)
    .chain((name) => fc.tuple(fc.constant(name), fc.tuple(given(name), given(name), given(name))));
  await fc.assert(
    fc.asyncProperty(layers, async ([name, [env, own, user]]) => {
      writeFileSync(join(project, "aot.config.yaml"), own === null ? "# nothing\n" : `# first\n${yamlOf(name, own)}\n`);
      writeFileSync(join(home, ".config/aot/config.yaml"), user === null ? "" : `${yamlOf(name, user)}\n`);
      const loaded = await loadConfig(project, { HOME: home, ...(env === null ? {} : { [variableOf(name)]: env }) });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded));
      const wins = [env, own, user].findIndex((value) => value !== null);
      const value = [env, own, user][wins] ?? null;
      expect(loaded.value.settings).toEqual(value === null ? {} : { [name]: read(name, value) });
      expect(loaded.value.origins[name].layer).toBe(LAYERS[wins] ?? "default");
      if (wins === 1) expect(loaded.value.origins[name]).toMatchObject({ line: 2 });
    }),
    { numRuns: 150 },
  );
});

test("the project's file may be above it, up to the repository's root and no further", async () => {
  const dir = temporaryFolder();
  const deep = join(dir, "repository", "packages", "one");
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(dir, "repository", ".git"));
  writeFileSync(join(dir, "aot.config.yaml"), "agent: outside\n");
  const agent = async (env = {}): Promise<unknown> => {
    const loaded = await loadConfig(deep, env);
    return loaded.ok ? loaded.value.settings.agent : loaded.problems[0]?.message;
  };
  expect(await agent()).toBe(undefined);
  writeFileSync(join(dir, "repository", "aot.config.yml"), "agent: root\n");
  expect(await agent()).toBe("root");
  writeFileSync(join(deep, "aot.config.yaml"), "agent: near\n");
  expect(await agent()).toBe("near");
  expect(await agent({ AOT_CONFIG: "../../../aot.config.yaml" })).toBe("outside");
  expect(await agent({ AOT_CONFIG: "none" })).toBe(undefined);
  expect(await agent({ AOT_CONFIG: "gone.yaml" })).toContain("cannot be read");
  writeFileSync(join(deep, "aot.config.yml"), "agent: near\n");
  expect(await agent()).toContain("two configurations");
});

test("a person's own file: XDG, home, and %APPDATA% on Windows", () => {
  expect(userConfigFile({ HOME: "/h" }, "linux")).toBe(join("/h", ".config", "aot", "config.yaml"));
  expect(userConfigFile({ HOME: "/h", XDG_CONFIG_HOME: "/x" }, "darwin")).toBe(join("/x", "aot", "config.yaml"));
  expect(userConfigFile({ HOME: "/h", XDG_CONFIG_HOME: "relative" }, "linux")).toBe(
    join("/h", ".config", "aot", "config.yaml"),
  );
  expect(userConfigFile({ HOME: "/h", APPDATA: "/roaming" }, "win32")).toBe(join("/roaming", "aot", "config.yaml"));
  expect(userConfigFile({}, "linux")).toBe(null);
});

// ── what is refused ─────────────────────────────────────────────────────────

test.each([
  ["agnet: claude\n", /agnet is no field of the configuration/, /did you mean agent\?/],
  ["# x\nparallel: 0\n", /parallel is 0/, /at least 1/],
  ["max_duration: soon\n", /max_duration is not a duration/, /90m/],
  ["setup: npm ci\n", /setup is not a list/, /write a list/],
  ["verify_each: maybe\n", /verify_each is not true or false/, /true or false/],
  ["- agent\n", /the configuration is not a mapping/, /mapping/],
  ["agent: [unclosed\n", /not valid YAML/, /./],
  ["agent: a\nagent: b\n", /twice/, /one of the two/],
])("CONFIG-2: %j is refused with what would be right", async (text, message, hint) => {
  const found = await readSettings(text);
  if (found.ok) throw new Error(JSON.stringify(found.value));
  expect(found.problems[0]?.message).toMatch(message);
  expect(found.problems[0]?.hint).toMatch(hint);
});

test("CONFIG-2: whatever a file holds, it is read or refused with a reason", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json(), fc.string({ unit: "binary" })), async (text) => {
      const found = await readSettings(text);
      if (!found.ok) for (const problem of found.problems) expect(problem.message).not.toBe("");
    }),
  );
});

// ── what is published ───────────────────────────────────────────────────────

test("schemas/aot.config.schema.json is the schema that files are read by", async () => {
  const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../schemas/aot.config.schema.json");
});

test("docs/configuration.md holds every setting", async () => {
  const page = readFileSync("docs/configuration.md", "utf8");
  const text = withSection(page, "settings", `\n${settingsMarkdown()}`);
  await expect(text).toMatchFileSnapshot("../../docs/configuration.md");
});

// ── in the command ──────────────────────────────────────────────────────────

const HERE = { HOME: "/nonexistent", XDG_CONFIG_HOME: "" };

test("SPEC 4: settings narrow what the goal allows and never widen it; a flag wins", async () => {
  const { dir } = projectWith();
  const plan = async (settings: string, flags: readonly string[] = [], env = {}): Promise<unknown> => {
    writeFileSync(join(dir, "aot.config.yaml"), settings);
    const ran = await aotJson(["run", "--plan", "--restart", ...flags], { cwd: dir, env: { ...HERE, ...env } });
    return ran.json["iterations"] ?? ran.json;
  };
  const agent = "agent: 'command:true'\n";
  const all = await plan(agent);
  expect(all).toBeGreaterThan(3);
  expect(await plan(`${agent}max_iterations: 1000\n`)).toBe(all);
  expect(await plan(`${agent}max_iterations: 2\n`)).toBe(2);
  expect(await plan(`${agent}max_iterations: 2\n`, [], { AOT_MAX_ITERATIONS: "1" })).toBe(1);
  expect(await plan(`${agent}max_iterations: 2\n`, ["--max-iterations", "3"], { AOT_MAX_ITERATIONS: "1" })).toBe(3);
  expect(await plan(`${agent}max_iterations: 2\n`, ["--set=max_iterations=3"], { AOT_MAX_ITERATIONS: "1" })).toBe(3);
  expect(await plan(agent, ["--set=max_iterations=1000"])).toBe(all);
});

test("SPEC 10: a configuration that is not valid ends the command with 2, and says file, line and what was meant", async () => {
  const { dir } = projectWith();
  writeFileSync(join(dir, "aot.config.yaml"), "agent: 'command:true'\n\nmax_iteration: 2\n");
  const ran = await aot(["run", "--plan"], { cwd: dir, env: HERE });
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("aot.config.yaml:3:1");
  expect(ran.err).toContain("did you mean max_iterations?");
});
