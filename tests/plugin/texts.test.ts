/** The plugin's texts say what is true: their commands exist, their tools are the ones meant. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { readAlignment } from "../../src/align/alignment-file.ts";
import { AOT } from "../../src/aot.ts";
import { parseCommand } from "../../src/interfaces/cli/parse-command.ts";
import { answerText, judgeText, openText, workText } from "../../src/interfaces/hook/session-text.ts";
import { parseShell } from "../../src/interfaces/hook/shell-words.ts";
import { SESSION_COMMANDS } from "../../src/interfaces/hook/spec.ts";

const known = new Set((AOT.commands ?? []).map((command) => command.name));
const table = {
  ...AOT,
  commands: [...(AOT.commands ?? []), ...SESSION_COMMANDS.filter(({ name }) => !known.has(name))],
};

interface Page {
  readonly path: string;
  readonly head: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Other names of commands, as a build leaves them. */
const BUILT = /(?:align-goal|-recursion)\.md$/;

function pages(): readonly Page[] {
  return readdirSync("plugin", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && name !== "README.md" && !BUILT.test(name))
    .map((name) => {
      const [, head = "", text = ""] =
        /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(join("plugin", name), "utf8")) ?? [];
      return { path: name.replaceAll("\\", "/"), head: load(head) as Record<string, unknown>, text };
    });
}

/** Command lines in code: spans and fenced lines that begin with `aot`. */
function commandsIn(text: string): readonly string[] {
  const fenced = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].flatMap(([, body = ""]) => body.split("\n"));
  const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
  return [...fenced, ...spans]
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => /^aot\b(?!-)/.test(line));
}

/** Why the command table does not take a line; null: it does. */
function whyNot(line: string): string | null {
  const [command, ...others] = parseShell(line).commands;
  if (command === undefined || others.length > 0) return `${line}: not one command`;
  const parsed = parseCommand(table, command.words.slice(1), {});
  if (parsed.kind !== "usage") return null;
  // A command named without its arguments, in the middle of a sentence.
  const named = command.words.length <= 3 && /argument|missing|needs/.test(parsed.message);
  return named ? null : `${line}: ${parsed.message}`;
}

const all = pages();

test("SPEC 10: the YAML that a model is shown is taken by `aot align --from`", () => {
  const [, yaml = ""] = /^```yaml\n([\s\S]*?)^```/m.exec(readFileSync("plugin/commands/align.md", "utf8")) ?? [];
  expect(readAlignment(yaml)).toMatchObject({ ok: true });
});

test("SPEC 10: eight commands, five agents, five skills", () => {
  const of = (folder: string): string[] =>
    all
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path }) => (folder === "skills" ? (path.split("/")[1] ?? "") : basename(path, ".md")))
      .sort();
  expect(of("commands")).toEqual(["align", "help", "hookify", "phases", "redirect", "rules", "run", "stop"]);
  // What has side effects is begun by a person alone; and it costs no session's context.
  for (const { path, head } of all.filter(({ path }) => path.startsWith("commands/")))
    expect([path, head["disable-model-invocation"]]).toEqual([path, path === "commands/help.md" ? undefined : true]);
  expect(of("agents")).toEqual(["conversation-analyzer", "coordinator", "probe", "verifier", "worker"]);
  expect(of("skills")).toEqual(["aot-dag", "convergence", "parallel-exec", "state-contract", "writing-rules"]);
  for (const { path, head } of all) expect([path, typeof head["description"]]).toEqual([path, "string"]);
});

test("every aot command line that a text names is one that aot takes", () => {
  const lines = all.flatMap(({ path, text }) => commandsIn(text).map((line) => [path, line] as const));
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.flatMap(([path, line]) => whyNot(line)?.replace(/^/, `${path}: `) ?? [])).toEqual([]);
  expect(whyNot("aot nonsense x")).toContain("nonsense");
  expect(whyNot("aot atom update A1 resolved --loud yes")).toContain("loud");
});

test("so is every one that a session gets", () => {
  const work = [{ atom: "A1", role: "worker" as const, attempt: "A1.1", description: "make it" }];
  const limit = { max_stall_count: 3, unresolved: ["A1"] };
  const judged = { movement: "stall", before: 2, measure: 2, stall_count: 1, ...limit, advice: "look at `aot logs`" };
  const texts = [
    workText(work),
    workText([]),
    judgeText(["it"]),
    openText({ iteration: 1, work, started: work, judge: [] }),
    answerText({ kind: "work", iteration: 1, work, failing: ["it"], plans: "", judged }),
    answerText({ kind: "halted", outcome: "stalled", message: "no progress", judged }),
    answerText({ kind: "interrupted" }),
  ];
  const lines = texts.flatMap(commandsIn);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.flatMap((line) => whyNot(line) ?? [])).toEqual([]);
  for (const text of texts) expect(text).not.toContain("undefined");
});

test("no text names what a terminal does not have: agents run in the background there, whatever is asked for", () => {
  const work = [{ atom: "A1", role: "worker" as const, attempt: "A1.1", description: "make it" }];
  const texts = [...all.map(({ path, text }) => [path, text]), ["work", workText(work)], ["judge", judgeText(["it"])]];
  for (const [name, text] of texts) expect([name, text?.includes("run_in_background")]).toEqual([name, false]);
});

test("SPEC 10, seed plugin-design 2.3: each agent has the tools that its role needs, and no more", () => {
  const toolsOf = (name: string): unknown => all.find(({ path }) => path === `agents/${name}.md`)?.head["tools"];
  expect(toolsOf("coordinator")).toBe("Bash, Agent");
  expect(toolsOf("verifier")).toBe("Bash");
  expect(toolsOf("worker")).toBe(undefined);
  expect(String(toolsOf("probe")).split(", ")).not.toEqual(expect.arrayContaining(["Write"]));
  expect(toolsOf("probe")).not.toMatch(/Write|Edit|Agent/);
  expect(toolsOf("conversation-analyzer")).toBe("Read, Grep");
});

test("commands are named as the client knows them: by the plugin's name", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const own = files.map((name) => [name, readFileSync(join("src", name), "utf8")] as const);
  const pages = ["README.md", "plugin/README.md", ...readdirSync("docs").map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith(".md"))
    .map((path) => [path, readFileSync(path, "utf8")] as const);
  const texts = [...all.map(({ path, text }) => [path, text] as const), ...own, ...pages];
  for (const [path, text] of texts) {
    const bare = /(?<![\w:./-])\/(?:align-goal|(?:enter|exit)-recursion|hookify)\b(?!\/)/.exec(text)?.[0];
    expect([path, bare]).toEqual([path, undefined]);
  }
});

test("texts are short", () => {
  for (const { path, text } of all) expect([path, text.length < 4_000]).toEqual([path, true]);
});

test("versions agree, and hooks have time for a verification", () => {
  const json = (path: string): Record<string, unknown> =>
    JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const { version } = json("package.json");
  expect(json("plugin/.claude-plugin/plugin.json")["version"]).toBe(version);
  expect(json(".claude-plugin/marketplace.json")).toMatchObject({
    metadata: { version },
    plugins: [{ source: "./plugin", version }],
  });
  const { hooks } = json("plugin/hooks/hooks.json") as {
    hooks: Record<string, { hooks: { timeout: number; onFailure?: string }[] }[]>;
  };
  const called = (event: string): readonly { onFailure?: string }[] =>
    (hooks[event] ?? []).flatMap((group) => group.hooks);
  // What a rule forbids does not happen because a hook was killed or hung; and nobody is kept from saying something.
  for (const event of Object.keys(hooks))
    for (const { onFailure } of called(event))
      expect([event, onFailure]).toEqual([event, event === "PreToolUse" ? "block" : undefined]);
  for (const event of ["SubagentStop", "Stop"]) expect(hooks[event]?.[0]?.hooks[0]?.timeout).toBe(3_600);
});
