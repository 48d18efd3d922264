/** A person at a terminal with the plugin in the real Claude Code, and the cast as it plays there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../support/bundle.ts";
import { onTerminal, type Terminal } from "../support/terminal.ts";
import { sessionEnvironment } from "./claude-client.ts";
import { call, say, type Line, type Model, type Play, type Stage } from "./plugin-client.ts";
import { cast, coordinate, type Cast } from "./plugin-play.ts";

export const LIMIT_MS = 90_000;

export interface Seat {
  readonly client: string;
  readonly plugin: string;
  readonly model: Model;
}

/** A person who has just started the client in that project. */
export async function sitDown(
  { client, plugin, model }: Seat,
  place: Stage,
  mode: string,
  ...more: readonly string[]
): Promise<Terminal> {
  settled(place);
  const words = [client, "--plugin-dir", plugin, "--permission-mode", mode, ...more];
  const env = { ...sessionEnvironment(place.home, model.url), TERM: "xterm-256color" };
  const terminal = onTerminal(words, place.dir, 120, 40, env);
  await shows(terminal, "for agents");
  return terminal;
}

/** Nothing is asked when it starts. */
function settled({ dir, home }: Stage): void {
  mkdirSync(join(home, ".claude"), { recursive: true });
  const settings = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["dummy"], rejected: [] },
    projects: { [dir]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(settings));
}

export async function shows({ screen }: Terminal, text: string): Promise<void> {
  await eventually(
    `${text} on the screen`,
    () => screen.rows().some((row) => row.replaceAll("\u00a0", " ").includes(text)),
    LIMIT_MS,
  ).catch(() => {
    throw new Error(`not on the screen: ${text}\n${screen.rows().join("\n")}`);
  });
}

/** Types it and sends it. */
export async function types(terminal: Terminal, prompt: string): Promise<void> {
  terminal.type(prompt);
  await shows(terminal, `❯ ${prompt}`);
  terminal.type("\r");
}

const YES = "❯ 1. Yes";

/** Says yes to the question on the screen. The client passes over keys of a question's first moments: as a person, once more. */
export async function agrees(terminal: Terminal): Promise<void> {
  await shows(terminal, YES);
  const isAsked = (): boolean => terminal.screen.rows().some((row) => row.replaceAll("\u00a0", " ").includes(YES));
  await eventually(
    "the question is answered",
    async () => {
      if (!isAsked()) return true;
      terminal.type("\r");
      await sleep(500);
      return !isAsked();
    },
    LIMIT_MS,
  );
}

const WAITING = say("Their results are still to come.");

interface Telling extends Pick<Cast, "answer" | "coordinator"> {
  /** Its conversation comes to its end when it has started its workers, so that the client summarises it. */
  readonly forgets?: boolean;
}

/** The cast where agents run in the background; its coordinator claims what is not its to say. */
export function inBackground({ forgets = false, answer, coordinator }: Telling = {}): Play {
  const usual = cast({
    ...(answer === undefined ? {} : { answer }),
    coordinator: (scene) => {
      const line = coordinator?.(scene) ?? coordinate(scene);
      if (scene.last.startsWith("Async agent launched")) return WAITING;
      if (line.toolCalls === undefined) return say("It is completed and verified.");
      return forgets ? { ...line, usage: { input_tokens: 990_000, output_tokens: 10 } } : line;
    },
  });
  return async (scene) => {
    // Auto mode's own question about an action.
    if (scene.system.includes("You are a security monitor")) return say("<severity>0</severity>");
    return handedBack(scene, await usual(scene));
  };
}

/** In auto mode a sub-agent reports with a tool. Whoever is asked to end its turn without it does so. */
function handedBack({ tools, last }: Parameters<Play>[0], line: Line): Line {
  const reports = line.content !== undefined && line !== WAITING && tools.includes("SubagentHandback");
  return reports && !last.includes("without handing back")
    ? call(["SubagentHandback", { message: line.content }])
    : line;
}
