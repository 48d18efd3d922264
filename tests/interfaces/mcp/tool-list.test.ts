/** SPEC 10: what a model sees of the command table. */
import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../../../src/command/spec.ts";
import { listed, OFFERED } from "../../../src/interfaces/mcp/offered.ts";
import { toolsOf } from "../../../src/interfaces/mcp/tool-list.ts";

const TOOLS = toolsOf(OFFERED, "aot");

/** What tools are announced as: to read, to destroy, to settle (done twice it is done once), to run programs. */
const ANNOUNCED: Readonly<Record<string, string>> = {
  "destroys, programs": "align run verify_command receipt_verify redirect redirect_set phases_run",
  "reads, settles": `status attach verify_file logs diff graph receipt doctor state_show state_validate state_gate
    phases_status phases_validate phases_graph rules_list rules_test rules_replay rules_audit`,
  programs: "verify phases_approve",
  settles: "report stop atom_update rules_enable rules_disable",
  destroys: `redirect_limit redirect_add redirect_change redirect_remove redirect_redo redirect_choose redirect_rebind
    atom_fail or_switch phases_init phases_new phases_fail phases_skip phases_skip_gate phases_resume`,
  "settles, programs": "state_set_status",
  writes: `atom_add atom_decompose binding_add phases_start phases_complete phases_reject phases_retry phases_pause
    phases_count rules_add rules_analyze`,
};

test("SPEC 10: every operation is a tool, announced as what it is", () => {
  const found: Record<string, string[]> = {};
  for (const { tool } of TOOLS) {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
    const hints = { reads: readOnlyHint, destroys: destructiveHint, settles: idempotentHint, programs: openWorldHint };
    const words = Object.entries(hints).flatMap(([word, isSo]) => (isSo === true ? [word] : []));
    (found[words.join(", ") || "writes"] ??= []).push(tool.name.replace("aot_", ""));
  }
  expect(found).toEqual(
    Object.fromEntries(Object.entries(ANNOUNCED).map(([words, names]) => [words, names.split(/\s+/)])),
  );
});

test("names are such as every client takes: letters, digits and underscores, unique, with space for a client's prefix", () => {
  const names = TOOLS.map(({ tool }) => tool.name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z_]{2,39}$/);
});

test("texts speak of tools and arguments, not of a command line", () => {
  for (const { tool } of TOOLS) {
    const text = JSON.stringify(tool);
    expect(text, tool.name).not.toMatch(/--[a-z]|Ctrl-C|stdout|`aot [a-z]|[Ee]xit \d/);
    expect(tool.description?.length ?? 0, tool.name).toBeGreaterThan(10);
    expect(tool.description?.length ?? 0, tool.name).toBeLessThan(500);
  }
});

test("a tool costs a model less than 1 kB", () => {
  const seen = TOOLS.map(({ tool: { outputSchema: _, ...tool } }) => tool);
  expect(JSON.stringify(seen).length / TOOLS.length).toBeLessThan(1_000);
});

test("SPEC 10: ten tools are in the list, which costs a model some 3,000 tokens; every other one is asked for", () => {
  const first = listed(TOOLS, false);
  const names = "align run status attach verify logs diff redirect stop more";
  expect(first.map(({ name }) => name)).toEqual(names.split(" ").map((name) => `aot_${name}`));
  expect(JSON.stringify(first).length).toBeLessThan(12_500);
  expect(listed(TOOLS, true)).toHaveLength(TOOLS.length);
  for (const { name, inputSchema } of first) {
    const whole = TOOLS.find(({ tool }) => tool.name === name)?.tool.inputSchema.properties ?? {};
    if (name !== "aot_more") expect(whole).toMatchObject(inputSchema.properties ?? {});
  }
});

describe("schemas", () => {
  const schemaOf = (name: string): unknown => TOOLS.find(({ tool }) => tool.name === name)?.tool.inputSchema;

  test("choices are an enum, what is required is, and nothing else is taken", () => {
    expect(schemaOf("aot_atom_update")).toMatchObject({
      type: "object",
      properties: {
        id: { type: "string" },
        status: { type: "string", enum: ["pending", "in_progress", "resolved"] },
        state_file: { type: "string" },
      },
      required: ["id", "status"],
      additionalProperties: false,
    });
  });

  test("what may be repeated is a list, numbers have their least value", () => {
    expect(schemaOf("aot_atom_decompose")).toMatchObject({
      properties: { child: { type: "array", items: { type: "string" }, minItems: 1 } },
    });
    expect(schemaOf("aot_logs")).toMatchObject({ properties: { last: { type: "integer", minimum: 1 } } });
  });

  test("what is only for a person at a terminal is not offered, and a human's decision cannot be given", () => {
    const keys = TOOLS.flatMap(({ tool }) => Object.keys(tool.inputSchema.properties ?? {}));
    for (const key of ["watch", "follow", "yes", "json", "confirm"]) expect(keys).not.toContain(key);
  });

  test("what looks has pages", () => {
    const paged = TOOLS.filter(({ tool }) => Object.hasOwn(tool.inputSchema.properties ?? {}, "page"));
    expect(paged.map(({ tool }) => tool.name)).toEqual(
      TOOLS.flatMap(({ command, tool }) => (command.effect === "reads" ? [tool.name] : [])),
    );
  });

  test("what may go on for hours can be waited for", () => {
    const waiting = TOOLS.filter(({ tool }) => Object.hasOwn(tool.inputSchema.properties ?? {}, "wait"));
    expect(waiting.map(({ tool }) => tool.name)).toEqual(["aot_run", "aot_phases_run"]);
  });
});

test("a command that does not say what it does is announced as one that may destroy", () => {
  const silent: CommandSpec = {
    name: "x",
    summary: "Does something.",
    load: () => import("../../../src/run/commands/attach.ts"),
  };
  expect(toolsOf([silent], "aot")[0]?.tool.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
});
