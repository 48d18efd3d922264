/** What a call says of settings: `--set KEY=VALUE`, and the flags that have a setting's name. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { configOf } from "../../../src/run/commands/call-config.ts";
import type { Io } from "../../../src/command/io.ts";
import { callOf } from "../../../src/command/values.ts";
import { loadConfig } from "../../../src/project/config.ts";
import { SETTING_NAMES, variableOf, type SettingName } from "../../../src/project/config-schema.ts";
import { aot, projectWith } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const dir = temporaryFolder();

/** What a call with these flags gets: the settings, or what would be right. */
async function read(given: Readonly<Record<string, readonly string[]>>, env: Io["env"] = {}): Promise<unknown> {
  const values = { args: new Map(), flags: new Map(Object.entries(given)) };
  const config = await configOf(callOf(values, false, { env } as Io), dir);
  return "answer" in config ? hintsOf(config.answer.json) : config;
}

function hintsOf({ errors, problems = errors }: { errors?: unknown; problems?: unknown }): unknown {
  return (problems as readonly { hint?: string }[]).map(({ hint }) => hint);
}

/** Values that some setting takes, and any text. */
const VALUES = fc.oneof(
  fc.constantFrom(..."true false 0 1 0.01 7 70000 2h 90m require 512M none a=b soon".split(" ")),
  fc.string({ minLength: 1, unit: "binary" }),
);

test("CONFIG-1: --set K=V says what AOT_K=V says, for every setting and every text, and wins over it and over files", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SETTING_NAMES), VALUES, async (name, value) => {
      writeFileSync(join(dir, "aot.config.yaml"), "");
      const loaded = await loadConfig(dir, { [variableOf(name)]: value });
      const set = { set: [`${name}=${value}`] };
      if (!loaded.ok) {
        expect(loaded.problems[0]?.message).toContain(`the environment variable ${variableOf(name)} is `);
        expect(await read(set)).toEqual(hintsOf(loaded));
        return;
      }
      const { settings, origins } = loaded.value;
      const wanted = { settings, origins: { ...origins, [name]: { layer: "command" } } };
      expect(await read(set)).toMatchObject(wanted);
      writeFileSync(join(dir, "aot.config.yaml"), `${name}: ${JSON.stringify(settings[name])}\n`);
      expect(await read(set, { [variableOf(name)]: value })).toMatchObject(wanted);
    }),
    { numRuns: 400 },
  );
});

test("CONFIG-1: a flag that has a setting's name says what --set says of it", async () => {
  writeFileSync(join(dir, "aot.config.yaml"), "squash: false\n");
  const pairs: readonly (readonly [SettingName, string, string, string])[] = [
    ["max_cost_usd", "2.5", "max-cost-usd", "2.5"],
    ["agent", "codex", "agent", "codex"],
    ["squash", "true", "squash", ""],
    ["merge", "false", "no-merge", ""],
  ];
  for (const [name, value, flag, text] of pairs)
    expect(await read({ [flag]: [text] }), flag).toEqual(await read({ set: [`${name}=${value}`] }));
  const list = await read({ set: ["setup=npm ci", "setup=npm run build"] });
  expect(list, "each one adds an item").toMatchObject({ settings: { setup: ["npm ci", "npm run build"] } });
});

test.each([
  [["--set", "max_cost=3"], /--set max_cost: there is no such setting\n {2}did you mean max_cost_usd\?/],
  [["--set", "nonsense=3"], /there is no such setting\n {2}`aot doctor --json` lists them/],
  [["--set", "planner"], /--set planner has no value\n {2}write --set planner=VALUE/],
  [["--set", "parallel=many"], /--set parallel is "many"\n {2}set it to a whole number from 1/],
  [["--planner"], /--planner needs a value/],
  [["--worker", "a", "--set", "worker=b"], /--set worker and --worker say the same setting\n {2}give it once/],
  [["--no-planner"], /unknown flag --no-planner/],
  [["--set", "parallel=1.5"], /--set parallel is "1.5"/],
  [["--set", "max_cost_usd=much"], /set it to a number from 0/],
  [["--set", "merge=maybe"], /set it to true or false, or leave it out/],
  [["--set", "attempt_timeout=30"], /set it to a duration such as "90m"/],
  [["--set", "port_base=80"], /whole number from 1024 to 65000/],
  [["--set", "agent="], /--set agent is ""/],
  [["--max-duration", "soon"], /--max-duration is "soon"\n {2}set it to a duration/],
  [["--set", "parallel=1", "--set", "parallel=1"], /--set parallel is given twice\n {2}give it once/],
])("SPEC 10: %j is bad usage, and says what would be right", async (flags, said) => {
  const project = projectWith();
  expect(await aot(["run", "--plan", ...flags], { cwd: project.dir })).toMatchObject({
    code: 2,
    err: expect.stringMatching(said),
  });
});
