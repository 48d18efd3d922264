/** A person at a terminal with the plugin in the real Claude Code, and the cast as it plays there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventually } from "../support/bundle.ts";
import { onTerminal, whyNoTerminal } from "../support/terminal.ts";
import { call, say, type Line, type Play, type Stage } from "./plugin-client.ts";
import { cast, coordinate } from "./plugin-play.ts";

export const LIMIT_MS = 90_000;

/** The modes in which a person sits at a terminal. */
const MODES = ["default", "acceptEdits", "auto"] as const;
/** `-p`: nobody sits there. */
export type Mode = (typeof MODES)[number] | "-p";

const why_no_terminal = whyNoTerminal();

/** Tests whose scenario is played in each mode, in all at once: a client mostly waits. */
export const inEachMode = (name: string, play: (mode: Mode) => Promise<void>): void => played(MODES, name, play);
export const inEachModeAndP = (name: string, play: (mode: Mode) => Promise<void>): void =>
  played([...MODES, "-p"], name, play);

function played(modes: readonly Mode[], name: string, play: (mode: Mode) => Promise<void>): void {
  const title = `${name} (${why_no_terminal ?? modes.join(", ")})`;
  test.skipIf(why_no_terminal !== null)(title, { timeout: 240_000 }, async () => {
    const ends = await Promise.allSettled(modes.map(play));
    const why = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
    const failures = ends.flatMap((end, at) =>
      end.status === "rejected" ? [`in mode ${modes[at]}: ${why(end.reason)}`] : [],
    );
    expect(failures.join("\n\n")).toBe("");
  });
}

/** Somebody who started the client in a project. */
export interface Session {
  /** Says it, and does not wait for the answer. */
  says(prompt: string): Promise<void>;
  /** Waits until it is shown. */
  sees(text: string): Promise<void>;
}
export interface Person extends Session {
  presses(keys: string): void;
  /** Says yes to the question on the screen. */
  agrees(): Promise<void>;
  /** Closes the window, and waits for the client's end. */
  leaves(): Promise<void>;
}

/** In `-p` without anybody, else with a person at a terminal. */
export async function begin(place: Stage, mode: Mode, ...more: readonly string[]): Promise<Session> {
  if (mode !== "-p") return sitDown(place, mode, ...more);
  const talk = place.talk(...more);
  return {
    says: (prompt) => Promise.resolve(talk.tell(prompt)),
    sees: (text) => eventually(`${text} in the client's output`, () => talk.out().includes(text), LIMIT_MS),
  };
}

const YES = "❯ 1. Yes";

/** A person who has just started the client in that project. */
export async function sitDown(place: Stage, mode: Mode, ...more: readonly string[]): Promise<Person> {
  settled(place);
  const words = [place.client, "--plugin-dir", place.plugin, "--permission-mode", mode, ...more];
  const terminal = onTerminal(words, place.dir, 120, 40, { ...place.env, TERM: "xterm-256color" });
  const shown = (text: string): boolean =>
    terminal.screen.rows().some((row) => row.replaceAll("\u00a0", " ").includes(text));
  const sees = (text: string): Promise<void> =>
    eventually(text, () => shown(text), LIMIT_MS).catch(() => {
      throw new Error(`not on the screen: ${text}\n${terminal.screen.rows().join("\n")}`);
    });
  await sees("for agents");
  return {
    sees,
    says: async (prompt) => {
      terminal.type(prompt);
      await sees(`❯ ${prompt}`);
      terminal.type("\r");
    },
    presses: (keys) => terminal.type(keys),
    agrees: async () => {
      await sees(YES);
      // The client passes over keys of a question's first moments: as a person, once more.
      await eventually(
        "the question is answered",
        async () => {
          terminal.type("\r");
          await sleep(500);
          return !shown(YES);
        },
        LIMIT_MS,
      );
    },
    leaves: async () => {
      terminal.hangUp();
      await terminal.ended();
    },
  };
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

const WAITING = say("Their results are still to come.");

/**
 * The cast where agents run in the background; its coordinator claims what is not its to say.
 * @param forgets whether its conversation is at its end when it has started its workers, so that the client summarises it
 */
export function inBackground(forgets = false): Play {
  const usual = cast({
    coordinator: (scene) => {
      const line = coordinate(scene);
      if (scene.last.startsWith("Async agent launched")) return WAITING;
      if (line.toolCalls === undefined) return say("It is completed and verified.");
      return forgets ? { ...line, usage: { input_tokens: 990_000, output_tokens: 10 } } : line;
    },
  });
  return async (scene) => handedBack(scene, await usual(scene));
}

/** In auto mode a sub-agent reports with a tool. Whoever is asked to end its turn without it does so. */
function handedBack({ tools, last }: Parameters<Play>[0], line: Line): Line {
  const reports = line.content !== undefined && line !== WAITING && tools.includes("SubagentHandback");
  return reports && !last.includes("without handing back")
    ? call(["SubagentHandback", { message: line.content }])
    : line;
}
