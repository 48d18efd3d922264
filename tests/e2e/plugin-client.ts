/**
 * The plugin in the real Claude Code, each project with a scripted model of its own on loopback. The model plays whoever the
 * system prompt says that it is. Environment, HOME and proxy as in claude-client.ts: nothing of this machine gets in or out.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { beforeAll, onTestFinished } from "vitest";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import type { State } from "../../src/core/state.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { sessionEnvironment } from "./claude-client.ts";
import { removeFolder, withClient } from "./clients.ts";

export type Who = "main" | "coordinator" | "worker" | "probe" | "verifier";
export interface Scene {
  readonly who: Who;
  /** How often this actor has answered in this conversation. */
  readonly turn: number;
  /** Last message: what it is answering to. */
  readonly last: string;
  /** All that came since its last answer, whoever said it. */
  readonly heard: string;
  /** First user message, without reminders: the actor's task. */
  readonly task: string;
  readonly isResult: boolean;
  /** What the client tells this actor that it is. */
  readonly system: string;
  readonly tools: readonly string[];
}
export interface Line {
  readonly content?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  /** Instead of an answer. */
  readonly error?: { readonly message: string; readonly type: string };
  readonly status?: number;
  /** What the answer cost: a conversation that is nearly as long as it may be is summarised by the client. */
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
}
export type Play = (scene: Scene) => Line | Promise<Line>;

export const say = (content: string): Line => ({ content });
export const call = (...calls: readonly (readonly [string, object])[]): Line => ({
  toolCalls: calls.map(([name, input]) => ({ name, arguments: JSON.stringify(input) })),
});
export const bash = (command: string): Line => call(["Bash", { command, description: "x" }]);

const MARKS: readonly (readonly [Who, string])[] = [
  ["coordinator", "You carry out an AoT loop."],
  ["worker", "You are a worker of an AoT loop."],
  ["probe", "You are a probe of an AoT loop."],
  ["verifier", "You judge work that you did not do."],
];

/** What auto mode asks about an action that no rule of the person's allows. */
const SAFETY_CHECK = "You are a security monitor";

interface Model {
  /** What it was asked since `play`. */
  readonly scenes: readonly Scene[];
  /** What it answers from now on. */
  play(play: Play): void;
}

/** It ends with the test. */
async function startModel(): Promise<Model & { readonly url: string }> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  let play: Play = () => say("no script");
  const scenes: Scene[] = [];
  type Body = {
    messages: readonly { role: string; content: unknown }[];
    tools?: readonly { function: { name: string } }[];
  };
  mock.on({ predicate: () => true }, (body: Body) => {
    const texts = body.messages.map((message) => ({ role: message.role, text: textOf(message.content) }));
    const system = texts.filter(({ role }) => role === "system").map(({ text }) => text);
    const last = texts.at(-1) ?? { role: "", text: "" };
    const scene: Scene = {
      who: MARKS.find(([, mark]) => system.some((text) => text.includes(mark)))?.[0] ?? "main",
      turn: texts.filter(({ role }) => role === "assistant").length,
      last: last.text,
      heard: texts
        .slice(texts.findLastIndex(({ role }) => role === "assistant") + 1)
        .map(({ text }) => text)
        .join("\n"),
      task: texts.find(({ role }) => role === "user")?.text ?? "",
      isResult: last.role === "tool",
      system: system.join("\n"),
      tools: (body.tools ?? []).map((tool) => tool.function.name),
    };
    if (scene.system.includes(SAFETY_CHECK)) return say("<severity>0</severity>") as never;
    scenes.push(scene);
    return play(scene) as never;
  });
  await mock.start();
  onTestFinished(() => mock.stop());
  return {
    url: mock.url,
    scenes,
    play: (next) => {
      play = next;
      scenes.length = 0;
    },
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("\n");
}

export interface Stage extends Model {
  readonly dir: string;
  readonly home: string;
  readonly state: string;
  readonly client: string;
  /** The plugin's folder. */
  readonly plugin: string;
  /** The client's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Kills the client that runs, as a crash would. */
  kill(): void;
  /** Runs the client to its end in this project. */
  claude(prompt: string, ...args: readonly string[]): Promise<Ran>;
  /** A session that goes on after a turn, as at a terminal. It ends with the test. */
  talk(...args: readonly string[]): Talk;
  read(): string;
  /** The loop as its file says. */
  loop(): Promise<State>;
  /** The attempts that were started, in their order. */
  attempts(): readonly unknown[];
  journal(): readonly Readonly<Record<string, unknown>>[];
}
export interface Talk {
  /** Says it. */
  tell(prompt: string): void;
  /** All that the client has written. */
  out(): string;
  /** Says it, and waits for the end of the turn. */
  say(prompt: string): Promise<Turn>;
  /** Ends the turn, as Esc does. */
  interrupt(): void;
  /** Waits for the client's end. */
  end(): Promise<Ran>;
}
export interface Turn {
  readonly session: string;
  readonly terminal_reason: string;
  /** What was written during the turn. */
  readonly out: string;
}
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const LIMIT_MS = 150_000;

interface Options {
  /** Variables of the client's environment besides its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Makes the plugin's folder from the one that is installed. */
  readonly plugin?: (staged: string) => string;
}
/** A git project with this state file (null: without a loop), a HOME and a model of its own. They go when the test ends. */
export type SetStage = (state?: string | null, options?: Options) => Promise<Stage>;

/** The suite with the real Claude Code and the plugin as it is installed. */
export function withPlugin(suite: (stage: SetStage) => void): void {
  withClient("claude", (client) => {
    let staged = "";
    beforeAll(async () => {
      staged = join(await stagePlugin(), "plugin");
    });
    suite(async (state = null, { env = {}, plugin = (path: string) => path } = {}) => {
      const { url, ...model } = await startModel();
      const home = mkdtempSync(join(tmpdir(), "aot-home-"));
      onTestFinished(() => removeFolder(home));
      const seat = { client, plugin: plugin(staged), home, env: { ...sessionEnvironment(home, url), ...env } };
      return { ...model, ...seat, ...project(seat, state) };
    });
  });
}

function project(
  { client, plugin, env }: Pick<Stage, "client" | "plugin" | "env">,
  state: string | null,
): Omit<Stage, "client" | "plugin" | "env" | "home" | keyof Model> {
  const dir = mkdtempSync(join(tmpdir(), "aot-plugin-"));
  onTestFinished(() => removeFolder(dir));
  execFileSync("git", ["init", "-q", dir]);
  mkdirSync(join(dir, ".claude"));
  const file = join(dir, ".claude", "aot-loop-state.md");
  if (state !== null) writeFileSync(file, state);
  const journal = join(dir, ".claude", "aot-loop", "journal.jsonl");
  const lines = (): readonly Readonly<Record<string, unknown>>[] =>
    existsSync(journal)
      ? readFileSync(journal, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : [];
  let running: ChildProcess | null = null;
  return {
    kill: () => running?.kill("SIGKILL"),
    dir,
    state: file,
    claude: (prompt, ...args) => {
      const all = ["-p", prompt, "--output-format", "json", "--plugin-dir", plugin, ...args];
      running = spawn(client, all, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
      return ended(running);
    },
    talk: (...args) => {
      const all = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
      const child = spawn(client, [...all, "--plugin-dir", plugin, ...args], {
        cwd: dir,
        env,
        stdio: ["pipe", "pipe", "pipe"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return talkTo(child);
    },
    read: () => readFileSync(file, "utf8"),
    loop: async () => {
      const read = await readStateFile(file);
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return read.value.state;
    },
    attempts: () => lines().flatMap(({ event, attempt }) => (event === "attempt_started" ? [attempt] : [])),
    journal: lines,
  };
}

function ended(child: ChildProcess): Promise<Ran> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, out, err });
    });
  });
}

function talkTo(child: ChildProcess): Talk {
  const over = ended(child);
  const write = (line: object): void => void child.stdin?.write(`${JSON.stringify(line)}\n`);
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const tell = (prompt: string): void => write({ type: "user", message: { role: "user", content: prompt } });
  return {
    tell,
    out: () => out,
    say: async (prompt) => {
      const from = out.length;
      tell(prompt);
      for (;;) {
        const written = out.slice(from);
        const line = written.split("\n").find((one, at, all) => at + 1 < all.length && one.includes('"type":"result"'));
        if (line !== undefined) {
          const { session_id: session, terminal_reason } = JSON.parse(line) as Record<string, string>;
          return { session: session ?? "", terminal_reason: terminal_reason ?? "", out: written };
        }
        const more = new Promise((resolve) => child.stdout?.once("data", () => resolve(true)));
        if ((await Promise.race([more, over.then(() => false)])) === false)
          throw new Error(`the client ended: ${written}`);
      }
    },
    interrupt: () => write({ type: "control_request", request_id: "stop", request: { subtype: "interrupt" } }),
    end: () => {
      child.stdin?.end();
      return over;
    },
  };
}

/** All that the client kept of its conversations. */
export function transcripts({ home }: Stage): string {
  const folder = join(home, ".claude", "projects");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

/**
 * A PATH with what is everywhere and this Node.
 * @param script of a shell, before Node is started with words that fit `at`; null: there is no Node
 */
export function pathWithNode(script: string | null, at = "*PreToolUse*"): string {
  const dir = temporaryFolder();
  for (const folder of ["/bin", "/usr/bin"])
    for (const name of readdirSync(folder))
      if (name !== "node" && !existsSync(join(dir, name))) symlinkSync(join(folder, name), join(dir, name));
  const text = `#!/bin/sh\ncase "$*" in ${at}) ${script} ;; esac\nexec "${process.execPath}" "$@"\n`;
  if (script !== null) writeFileSync(join(dir, "node"), text, { mode: 0o755 });
  return dir;
}
