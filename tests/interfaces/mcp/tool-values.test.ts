/** A tool is as strict as the command line (SPEC 10: the same operations). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../../src/commands.ts";
import type { FlagSpec } from "../../../src/command/spec.ts";
import { parseCommand } from "../../../src/interfaces/cli/parse-command.ts";
import { flagsOf, keyOf, toolsOf, WAIT, type CommandTool } from "../../../src/interfaces/mcp/tool-list.ts";
import { toolValues } from "../../../src/interfaces/mcp/tool-values.ts";

const AOT = { name: "aot", summary: "", commands: COMMANDS };
const TOOLS = toolsOf(COMMANDS, "aot");

function toolNamed(name: string): CommandTool {
  const found = TOOLS.find(({ tool }) => tool.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

/** Right ones and wrong ones. */
function valueFor(spec: Partial<Pick<FlagSpec, "type" | "choices">>): fc.Arbitrary<string | number> {
  if (spec.type === "integer" || spec.type === "number")
    return fc.oneof(fc.integer({ min: -3, max: 30 }), fc.constantFrom(0.001, 0.5, 1.5, -0.25, 2 ** 60, 1e300));
  return fc.oneof(
    fc.constantFrom(...(spec.choices ?? ["A1"])),
    fc.string(),
    fc.constantFrom("-x", "--reason", "-", ""),
  );
}

const calls = fc.constantFrom(...TOOLS).chain((tool) => {
  const { command } = tool;
  const flags = flagsOf(command).filter((flag) => flag !== WAIT);
  const given = fc.tuple(...(command.args ?? []).map((arg) => fc.option(valueFor(arg), { nil: undefined, freq: 8 })));
  const flagged = fc.tuple(
    ...flags.map((flag) =>
      flag.value === undefined
        ? fc.option(fc.boolean(), { nil: undefined })
        : flag.repeatable === true
          ? fc.option(fc.array(valueFor(flag), { maxLength: 3 }), { nil: undefined })
          : fc.option(valueFor(flag), { nil: undefined, freq: flag.required === true ? 8 : 1 }),
    ),
  );
  return fc.record({ tool: fc.constant(tool), flags: fc.constant(flags), given, flagged });
});

test("law: a tool takes exactly what the command line takes, and understands it alike", () => {
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(calls, ({ tool: { command, path }, flags, given, flagged }) => {
      // A word that is left out on the command line takes the later ones with it.
      const firstAbsent = given.indexOf(undefined);
      const words = firstAbsent < 0 ? given : given.slice(0, firstAbsent);
      const json: Record<string, unknown> = {};
      const argv: string[] = [...path];
      for (const [index, arg] of (command.args ?? []).entries())
        if (words[index] !== undefined) json[keyOf(arg)] = words[index];
      for (const [index, flag] of flags.entries()) {
        const value = flagged[index];
        if (value === undefined) continue;
        json[keyOf(flag)] = value;
        if (typeof value === "boolean") argv.push(...(value ? [`--${flag.name}`] : []));
        else argv.push(...[value].flat().map((item) => `--${flag.name}=${item}`));
      }
      for (const flag of command.flags ?? []) if (flag.unattended === "given") argv.push(`--${flag.name}`);
      const parsed = parseCommand(AOT, [...argv, "--", ...words.map(String)], {});
      const read = toolValues(command, json);
      if (read.ok) taken++;
      else refused++;
      expect(read.ok ? "run" : "usage").toBe(parsed.kind);
      if (!read.ok || parsed.kind !== "run") return;
      const plain = (values: typeof read.values): unknown => [
        Object.fromEntries(values.args),
        Object.fromEntries(values.flags),
      ];
      expect(plain(read.values)).toEqual(plain(parsed.values));
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(taken, refused)).toBeGreaterThan((taken + refused) / 20);
});

describe("what is wrong is said, with what was probably meant", () => {
  const WRONG: readonly (readonly [tool: string, given: Record<string, unknown>, message: string, hint: string])[] = [
    ["aot_atom_update", { id: "A1", statu: "resolved" }, "there is no argument statu here", "did you mean status?"],
    ["aot_atom_add", { id: "A1", description: "d", "--depends-on": ["A"] }, "no argument --depends-on", "depends_on?"],
    ["aot_atom_update", { id: "A1" }, "status is missing", "give status: The new status."],
    [
      "aot_atom_update",
      { id: "A1", status: "resolve" },
      'invalid value for status: "resolve"',
      "did you mean resolved?",
    ],
    ["aot_atom_update", { id: 1, status: "resolved" }, "invalid value for id: 1", "write a text"],
    ["aot_atom_update", { id: null, status: "resolved" }, "invalid value for id: null", "write a text"],
    ["aot_logs", { last: "5" }, 'invalid value for last: "5"', "write a whole number"],
    ["aot_logs", { last: 1.5 }, 'invalid value for last: "1.5"', "write a whole number, at least 1"],
    ["aot_logs", { last: 0 }, 'invalid value for last: "0"', "at least 1"],
    [
      "aot_atom_add",
      { id: "A", description: "d", depends_on: "A1" },
      'invalid value for depends_on: "A1"',
      'write a list: ["..."]',
    ],
    [
      "aot_atom_add",
      { id: "A", description: "d", depends_on: [1] },
      "invalid value for depends_on: [1]",
      'write a list: ["..."]',
    ],
    ["aot_run", { plan: "yes" }, 'invalid value for plan: "yes"', "write true or false"],
    ["aot_atom_decompose", { id: "A", reason: "r", child: [] }, "child is missing", "give child"],
    ["aot_verify", { confirm: true }, "there is no argument confirm here", "arguments: scores, judge"],
  ];
  for (const [name, given, message, hint] of WRONG)
    test(`${name} ${JSON.stringify(given)}`, () => {
      const read = toolValues(toolNamed(name).command, given);
      if (read.ok) throw new Error("it was taken");
      expect(read.complaint.message).toContain(message);
      expect(read.complaint.hint).toContain(hint);
    });

  test("a value of any size is quoted in few words", () => {
    const read = toolValues(toolNamed("aot_logs").command, { atom: ["x".repeat(100_000)] });
    expect(read.ok ? "" : read.complaint.message).toMatch(/^invalid value for atom: \["x{70,80}\.\.\.$/);
  });
});
