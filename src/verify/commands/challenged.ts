/** `--challenge` of a command: the checks are tried against broken code, and what they miss is named. */
import type { Call } from "../../command/call.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import type { State } from "../../core/state.ts";
import { commandsOf, setUpOf } from "../../project/config-set-up.ts";
import { loadConfig } from "../../project/config.ts";
import { challenge, CHALLENGE_MS, type Challenge } from "../challenge/challenge.ts";
import { challengeLines } from "../challenge/challenge-text.ts";

/** Milliseconds for which changes are tried; undefined: the call does not ask for it. */
function challengeMs(call: Call): number | undefined {
  if (!call.isSet("challenge")) return undefined;
  const seconds = call.number("challenge-time");
  return seconds === undefined ? CHALLENGE_MS : seconds * 1_000;
}

export interface Challenged {
  /** Absent: it was not asked for, or could not be done. */
  readonly challenge?: Challenge;
  /** For a terminal, with a heading; empty without one. */
  readonly lines: readonly string[];
  /** Why it could not be done. */
  readonly notes: readonly string[];
}

const NONE: Challenged = { lines: [], notes: [] };

/** Of what is committed in the project. */
export async function challengedIn(
  call: Call,
  { project, state }: { readonly project: string; readonly state: Pick<State, "objective" | "atoms"> },
): Promise<Challenged> {
  const time_ms = challengeMs(call);
  if (time_ms === undefined) return NONE;
  const config = await loadConfig(project, call.io.env);
  if (!config.ok)
    return { ...NONE, notes: [`not challenged: ${config.problems[0]?.message ?? "the settings are not valid"}`] };
  const tried = await whileWaiting(call.io, (signal, tell) => {
    tell("challenge: the checks are run on code that was broken on purpose");
    const set_up = commandsOf(setUpOf(config.value.settings, project));
    return challenge({ project, state, set_up, time_ms, signal });
  });
  if (!tried.ok)
    return { ...NONE, notes: [`not challenged: ${tried.problems.map(({ message }) => message).join("; ")}`] };
  return {
    challenge: tried.value,
    lines: ["", "challenge", ...challengeLines(tried.value).map((line) => `  ${line}`)],
    notes: [],
  };
}
