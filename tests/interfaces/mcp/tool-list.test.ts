/** SPEC 10: what a model sees of the command table. */
import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../../../src/command/spec.ts";
import { listed, OFFERED } from "../../../src/interfaces/mcp/offered.ts";
import { toolsOf } from "../../../src/interfaces/mcp/tool-list.ts";

const TOOLS = toolsOf(OFFERED, "aot");

test("SPEC 10: every operation is a tool, announced as what it is", () => {
  const hints = TOOLS.map(({ tool: { name, annotations = {} } }) => {
    const reported = [
      annotations.readOnlyHint === true ? "reads" : "",
      annotations.destructiveHint === true ? "destroys" : "",
      annotations.idempotentHint === true ? "settles" : "",
      annotations.openWorldHint === true ? "programs" : "",
    ];
    return `${name}: ${reported.filter((word) => word !== "").join(", ")}`;
  });
  expect(hints).toMatchInlineSnapshot(`
    [
      "aot_align: destroys, programs",
      "aot_run: destroys, programs",
      "aot_status: reads, settles",
      "aot_attach: reads, settles",
      "aot_verify: programs",
      "aot_verify_command: destroys, programs",
      "aot_verify_file: reads, settles",
      "aot_logs: reads, settles",
      "aot_diff: reads, settles",
      "aot_graph: reads, settles",
      "aot_report: settles",
      "aot_receipt: reads, settles",
      "aot_receipt_verify: destroys, programs",
      "aot_doctor: reads, settles",
      "aot_redirect: destroys, programs",
      "aot_redirect_set: destroys, programs",
      "aot_redirect_limit: destroys",
      "aot_redirect_add: destroys",
      "aot_redirect_change: destroys",
      "aot_redirect_remove: destroys",
      "aot_redirect_redo: destroys",
      "aot_redirect_choose: destroys",
      "aot_redirect_rebind: destroys",
      "aot_stop: settles",
      "aot_state_show: reads, settles",
      "aot_state_validate: reads, settles",
      "aot_state_gate: reads, settles",
      "aot_state_set_status: settles, programs",
      "aot_atom_add: ",
      "aot_atom_update: settles",
      "aot_atom_decompose: ",
      "aot_atom_fail: destroys",
      "aot_binding_add: ",
      "aot_or_switch: destroys",
      "aot_phases_init: destroys",
      "aot_phases_status: reads, settles",
      "aot_phases_validate: reads, settles",
      "aot_phases_graph: reads, settles",
      "aot_phases_new: destroys",
      "aot_phases_run: destroys, programs",
      "aot_phases_start: ",
      "aot_phases_complete: ",
      "aot_phases_fail: destroys",
      "aot_phases_skip: destroys",
      "aot_phases_approve: programs",
      "aot_phases_reject: ",
      "aot_phases_retry: ",
      "aot_phases_skip_gate: destroys",
      "aot_phases_pause: ",
      "aot_phases_resume: destroys",
      "aot_phases_count: ",
      "aot_rules_list: reads, settles",
      "aot_rules_test: reads, settles",
      "aot_rules_add: ",
      "aot_rules_enable: settles",
      "aot_rules_disable: settles",
      "aot_rules_replay: reads, settles",
      "aot_rules_audit: reads, settles",
      "aot_rules_analyze: ",
    ]
  `);
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
  expect(first.map(({ name }) => name)).toEqual([
    "aot_align",
    "aot_run",
    "aot_status",
    "aot_attach",
    "aot_verify",
    "aot_logs",
    "aot_diff",
    "aot_redirect",
    "aot_stop",
    "aot_more",
  ]);
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
