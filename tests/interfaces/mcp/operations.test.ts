/** SPEC 10: the MCP server offers the same operations as the command line, and answers the same. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { AOT } from "../../../src/aot.ts";
import { parseCommand } from "../../../src/interfaces/cli/parse-command.ts";
import { OFFERED } from "../../../src/interfaces/mcp/offered.ts";
import { flagsOf, hintsFor, keyOf, toolsOf, WAIT } from "../../../src/interfaces/mcp/tool-list.ts";
import { aot, aotJson, projectWith, wordsOf } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { openSession } from "./session.ts";

/** A line for each tool on the fixture loop. */
const CALLS: Readonly<Record<string, string>> = {
  aot_align: "align g --check 'file: x' --atom 'A1: one' --atom 'A2: two <- A1' --yes --force",
  aot_run: "run --plan --agent command:true --max-cost-usd 1.5",
  aot_status: "status",
  aot_attach: "attach",
  aot_verify: "verify",
  aot_verify_command: "verify command 'exit 3' --timeout 5",
  aot_verify_file: "verify file .claude/*.md",
  aot_logs: "logs --last 5",
  aot_diff: "diff A1",
  aot_graph: "graph --format mermaid",
  aot_report: "report --output r.html",
  aot_receipt: "receipt",
  aot_receipt_verify: "receipt verify receipt.json --yes",
  aot_doctor: "doctor",
  aot_redirect_set: "redirect set goal Another",
  aot_redirect_limit: "redirect limit max_cost_usd 2.5",
  aot_redirect_add: "redirect add B1 --description d",
  aot_redirect: "redirect --from changes.yaml",
  aot_redirect_change: "redirect change A6 --description d",
  aot_redirect_remove: "redirect remove A6",
  aot_redirect_redo: "redirect redo A3",
  aot_redirect_choose: "redirect choose token_method A4_alt",
  aot_redirect_rebind: "redirect rebind A3 --summary s",
  aot_stop: "stop lunch",
  aot_state_show: "state show",
  aot_state_validate: "state validate",
  aot_state_gate: "state gate",
  aot_state_set_status: "state set-status completed",
  aot_atom_add: "atom add B1 --description=--d --depends-on A1 --depends-on A3",
  aot_atom_update: "atom update A1 resolved",
  aot_atom_decompose: "atom decompose A2 --child X=x --child 'Y=y <- X' --reason r",
  aot_atom_fail: "atom fail A4 --reason r",
  aot_binding_add: "binding add A3 --summary other",
  aot_or_switch: "or switch token_method A4_alt --reason r",
};

const LOOP_FILE = {
  id: "small",
  version: "1.0.0",
  phases: [
    { name: "PLAN", skills: ["survey"], required: true },
    { name: "DOCUMENT", skills: [], required: false },
  ],
  gates: [{ id: "review", afterPhase: "PLAN", required: true, approvalType: "human", deliverables: ["PLAN.md"] }],
  defaults: { mode: "m" },
};

const INIT = "init loop.json";
/** A line for each tool on a phase loop, and the lines before it. */
const PHASE_CALLS: Readonly<Record<string, readonly [line: string, ...before: string[]]>> = {
  aot_phases_init: ["init loop.json --task t"],
  aot_phases_new: [
    `new other --agent 'command:cat >/dev/null; echo "{\\"id\\":\\"other\\",\\"version\\":\\"1\\",\\"phases\\":[{\\"name\\":\\"A\\",\\"skills\\":[]}]}"' --yes`,
    INIT,
  ],
  aot_phases_status: ["status", INIT],
  aot_phases_validate: ["validate", INIT],
  aot_phases_graph: ["graph --format json", INIT],
  aot_phases_run: [`run --agent 'command:cat >/dev/null; echo "{\\"success\\": true, \\"summary\\": \\"s\\"}"'`, INIT],
  aot_phases_start: ["start PLAN", INIT, "fail --reason r"],
  aot_phases_complete: ["complete --deliverables PLAN.md", INIT],
  aot_phases_fail: ["fail --reason r", INIT],
  aot_phases_skip: ["skip DOCUMENT", INIT],
  aot_phases_approve: ["approve review --by ada", INIT, "complete"],
  aot_phases_reject: ["reject review --reason no", INIT, "complete"],
  aot_phases_retry: ["retry review", INIT, "complete", "reject review --reason no"],
  aot_phases_skip_gate: ["skip-gate review --reason small", INIT, "complete"],
  aot_phases_pause: ["pause", INIT],
  aot_phases_resume: ["resume", INIT, "pause"],
  aot_phases_count: ["count beds 2 --add", INIT],
};

async function phaseProject(before: readonly string[]): Promise<{ readonly dir: string; readonly state: string }> {
  const { dir } = projectWith();
  writeFileSync(join(dir, "loop.json"), JSON.stringify(LOOP_FILE));
  writeFileSync(join(dir, "PLAN.md"), "");
  writeFileSync(join(dir, "aot.config.yaml"), "planner: none\n");
  for (const line of before) expect((await aot(["phases", ...line.split(" ")], { cwd: dir })).code).toBe(0);
  return { dir, state: join(dir, ".claude", "loops", "small.state.json") };
}

/** A line for each tool on guard rules. */
const RULE_CALLS: Readonly<Record<string, string>> = {
  aot_rules_list: "list",
  aot_rules_test: "test no-rm --command 'rm x'",
  aot_rules_add: "add other --pattern x --message m --matches x",
  aot_rules_enable: "enable no-rm --shadow",
  aot_rules_disable: "disable no-rm",
  aot_rules_audit: "audit --transcript t.jsonl",
  aot_rules_replay: "replay --transcript t.jsonl",
  aot_rules_analyze: "analyze --transcript t.jsonl --agent none",
};

function ruleProject(): string {
  const { dir } = projectWith();
  writeFileSync(
    join(dir, ".claude", "hookify.no-rm.local.md"),
    "---\nname: no-rm\npattern: ^rm\naction: block\n---\nno\n",
  );
  writeFileSync(
    join(dir, "t.jsonl"),
    `${JSON.stringify({ type: "user", message: { role: "user", content: "hello" } })}\n`,
  );
  return dir;
}

/** The same files at another place: nothing of a loop names its folder. */
function copyOf({ dir, state }: Awaited<ReturnType<typeof phaseProject>>): Awaited<ReturnType<typeof phaseProject>> {
  const copy = temporaryFolder();
  cpSync(dir, copy, { recursive: true });
  return { dir: copy, state: join(copy, relative(dir, state)) };
}

const TOOLS = toolsOf(OFFERED, "aot");
const inTools = hintsFor(TOOLS, "aot");

/** What the tool of that command is given where the command line is given these words. */
function givenFor(name: string, words: readonly string[]): Record<string, unknown> {
  const { command } = TOOLS.find(({ tool }) => tool.name === name) ?? {};
  const parsed = parseCommand(AOT, words, {});
  if (command === undefined || parsed.kind !== "run") throw new Error(`${name}: ${words.join(" ")}`);
  const { args, flags } = parsed.values;
  const given = flagsOf(command).flatMap((flag): [string, unknown][] => {
    const texts = flags.get(flag.name) ?? (flag === WAIT ? [] : null);
    if (texts === null) return [];
    const values = flag.type === undefined ? texts : texts.map(Number);
    return [[keyOf(flag), flag.value === undefined || (flag.repeatable === true ? values : values.at(-1))]];
  });
  return {
    ...Object.fromEntries([...args].map(([arg, value]) => [arg.replaceAll("-", "_"), value])),
    ...Object.fromEntries(given),
  };
}

/**
 * What differs between any two calls: the folder, moments and durations, and what the machine happens to be at; and next
 * steps, which speak of commands on the one side and of tools on the other.
 */
function plain(value: unknown, dir: string): unknown {
  const text = JSON.stringify(value, (key, item: unknown) =>
    /^(time|timestamp|.*_ms|pid|since|detail|.*At|last_updated|started_at|run|aligned_commit)$/.test(key) &&
    item !== null
      ? "*"
      : /^(hint|next_step|notes)$/.test(key)
        ? [item].flat().map((one) => (typeof one === "string" ? inTools(one) : one))
        : item,
  );
  return JSON.parse(text.replaceAll(JSON.stringify(dir).slice(1, -1), "DIR")) as unknown;
}

/** Each key of a document has a type that its tool's output schema allows. */
function misfits(name: string, document: Readonly<Record<string, unknown>>): string[] {
  const schema = TOOLS.find(({ tool }) => tool.name === name)?.tool.outputSchema;
  const keys = Object.entries(Object(schema)["properties"] as Record<string, { type: string | string[] }>);
  return keys.flatMap(([key, { type }]) => {
    const value = document[key];
    const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    const types = Number.isInteger(value) ? ["integer", "number"] : [own];
    return value === undefined || [type].flat().some((one) => types.includes(one)) ? [] : [`${key}: ${own}`];
  });
}

test("every tool is called here", () => {
  const names = TOOLS.map(({ tool }) => tool.name);
  const called = Object.keys({ ...CALLS, ...PHASE_CALLS, ...RULE_CALLS });
  expect(names.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(called.toSorted((a, b) => (a < b ? -1 : 1)));
});

describe("law: the structured content is the document of `aot ... --json`, and the file is the same afterwards", () => {
  for (const [name, line] of Object.entries(CALLS))
    test(name, async () => {
      const words = wordsOf(line);
      const [here, there] = [projectWith(), projectWith()];
      for (const { dir } of [here, there]) writeFileSync(join(dir, "changes.yaml"), "limits: {max_iterations: 40}\n");
      for (const { dir } of [here, there])
        expect((await aot(["atom", "update", "A6", "in_progress"], { cwd: dir })).code).toBe(0);
      const typed = await aotJson(words, { cwd: here.dir });
      const { call } = await openSession(there.dir);
      const called = await call(name, givenFor(name, words));
      expect(plain(called.json, there.dir)).toEqual(plain(typed.json, here.dir));
      expect(misfits(name, called.json)).toEqual([]);
      expect(called.isError).toBe(typed.json["success"] === false && typed.json["errors"] !== undefined);
      expect(called.text).not.toBe("");
      const stamps = /timestamp: .*|aligned_commit: .*/g;
      expect(readFileSync(there.state, "utf8").replaceAll(stamps, "")).toBe(
        readFileSync(here.state, "utf8").replaceAll(stamps, ""),
      );
    });
});

describe("SPEC 11: phase loops as tools", () => {
  for (const [name, [line, ...before]] of Object.entries(PHASE_CALLS))
    test(name, async () => {
      const words = ["phases", ...wordsOf(line)];
      const here = await phaseProject(before);
      const there = copyOf(here);
      const typed = await aotJson(words, { cwd: here.dir });
      const { call } = await openSession(there.dir);
      const called = await call(name, givenFor(name, words));
      expect(plain(called.json, there.dir)).toEqual(plain(typed.json, here.dir));
      const stamps = /"[^"]*T\d\d:\d\d[^"]*"/g;
      expect(readFileSync(there.state, "utf8").replaceAll(stamps, "")).toBe(
        readFileSync(here.state, "utf8").replaceAll(stamps, ""),
      );
    });

  test("a server that was given an AoT loop's state file finds the phase loop all the same", async () => {
    const { dir } = await phaseProject(["init loop.json"]);
    const { call } = await openSession(dir, { args: ["--state-file", ".claude/aot-loop-state.md"] });
    expect(await call("aot_phases_status")).toMatchObject({ isError: false, json: { loop: "small" } });
  });
});

describe("SPEC 12: guard rules as tools", () => {
  for (const [name, line] of Object.entries(RULE_CALLS))
    test(name, async () => {
      const words = ["rules", ...wordsOf(line)];
      const [here, there] = [ruleProject(), ruleProject()];
      const typed = await aotJson(words, { cwd: here });
      const { call } = await openSession(there);
      expect(plain((await call(name, givenFor(name, words))).json, there)).toEqual(plain(typed.json, here));
      const rule = (dir: string): string => readFileSync(join(dir, ".claude", "hookify.no-rm.local.md"), "utf8");
      expect(rule(there)).toBe(rule(here));
    });
});

describe("one session", () => {
  test("a mistake is a result with the code, what is wrong and the next step, not a protocol error", async () => {
    const { dir, state } = projectWith();
    const { call } = await openSession(dir);
    const refused = await call("aot_atom_update", { id: "A2", status: "resolved" });
    expect(refused).toMatchObject({ isError: true, json: { success: false, errors: [{ code: "refused" }] } });
    expect(refused.text).toContain("waits for A1");
    const unknown = await call("aot_atom_update", { id: "A1", statu: "resolved" });
    expect(unknown).toMatchObject({
      isError: true,
      json: { errors: [{ code: "usage", hint: "did you mean status?" }] },
    });
    const before = readFileSync(state, "utf8");
    expect(await call("aot_redirect_set", { field: "goal", value: "@-" })).toMatchObject({
      isError: true,
      json: { errors: [{ code: "usage", message: "there is no stdin to read from here" }] },
    });
    expect(readFileSync(state, "utf8")).toBe(before);
  });

  test("a verdict that says no, and a gate that is shut, are answers", async () => {
    const { dir } = projectWith();
    const { call } = await openSession(dir);
    expect(await call("aot_verify")).toMatchObject({ isError: false, json: { passed: false } });
    expect(await call("aot_state_gate")).toMatchObject({ isError: false, json: { ready: false } });
  });

  test("a tool that is not there is the client's mistake, with what was meant", async () => {
    const { call } = await openSession(projectWith().dir);
    await expect(call("aot_atom_updat", {})).rejects.toThrow("did you mean aot_atom_update?");
  });
});

describe("the tools that are not in the list", () => {
  test("aot_more names them, describes one, and calls it", async () => {
    const { dir } = projectWith();
    const { client, call } = await openSession(dir);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(10);
    const rest = Object(await call("aot_more")).json.tools as Record<string, string>;
    expect([...tools.map(({ name }) => name), ...Object.keys(rest)].toSorted()).toEqual(
      [...TOOLS.map(({ tool }) => tool.name), "aot_more"].toSorted(),
    );
    expect(await call("aot_more", { tool: "aot_atom_update" })).toMatchObject({
      json: { name: "aot_atom_update", inputSchema: { required: ["id", "status"] } },
    });
    const given = { id: "A1", status: "resolved" };
    expect(await call("aot_more", { tool: "aot_atom_update", arguments: given })).toMatchObject({
      json: { measure: 5 },
    });
    expect(await call("aot_more", { tool: "aot_atom_update", arguments: { id: "A1" } })).toMatchObject({
      isError: true,
    });
    await expect(call("aot_more", { tool: "aot_atom_updat" })).rejects.toThrow("did you mean aot_atom_update?");
  });

  test("a server may list all of them", async () => {
    const { client } = await openSession(projectWith().dir, { args: ["--tools", "all"] });
    expect((await client.listTools()).tools).toHaveLength(TOOLS.length);
  });
});

describe("MCP-SERVER-4: answers are bounded", () => {
  test("of 1,000 atoms a page is shown once, and the next one on request; a resource is whole", async () => {
    const { dir, state } = projectWith();
    writeFileSync(state, readFileSync(state, "utf8").replace(/^atoms:\n/m, `atoms:\n${atomLines(1_000)}`));
    const { client, call } = await openSession(dir);
    const [first, second] = [await call("aot_status"), await call("aot_status", { page: 2 })];
    for (const { json, text } of [first, second]) {
      expect(JSON.stringify(json).length).toBeLessThanOrEqual(20_000);
      expect(text.length).toBeLessThanOrEqual(4_000);
    }
    const idsOf = ({ json }: typeof first): unknown[] => (json["atoms"] as { id: string }[]).map(({ id }) => id);
    expect(idsOf(first)[0]).toBe("B0");
    expect(idsOf(second)[0]).toBe("B25");
    const { contents } = await client.readResource({ uri: "aot://state" });
    expect(JSON.stringify(contents)).toContain("B999");
  });
});

function atomLines(count: number): string {
  return Array.from(
    { length: count },
    (_, at) => `  - id: B${at}\n    description: "make part ${at} of it"\n    status: pending\n    depends_on: []\n`,
  ).join("");
}

test("a next step is a tool where there is one, and a person's command where there is none", async () => {
  const { dir } = projectWith();
  const { call } = await openSession(dir);
  const refused = await call("aot_attach");
  expect(refused.json).toMatchObject({ errors: [{ hint: "start it with `aot_run`" }] });
  expect(refused.text).toContain("`aot_run`");
  expect(refused.text).not.toContain("aot run");
  expect(inTools("`aot confirm ITEM --yes` is a human's; else `aot redirect set goal X --reason Y`")).toBe(
    "`aot confirm ITEM --yes` is a human's; else `aot_redirect_set goal X reason Y`",
  );
});
