/**
 * A person's turns, read by an agent: it says which are corrections and what the rule is, code counts (SPEC section 12).
 *
 * ASK-TURNS-1 readings know nothing of each other: two of all turns, a third of those on which the two differ, with the same
 *    beside them.
 */
import { createAgent, firstInstalled } from "../adapters/agents/find.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { ask } from "../loop/ask.ts";
import type { Agent } from "../loop/ports.ts";
import { agreedOn, type Agreed, ENOUGH } from "./analyze/findings.ts";
import { questionOn, SCHEMA, type Correction, type Question } from "./analyze/turn-questions.ts";
import type { Turn } from "./analyze/session.ts";

/** Of one question. */
const MOST_TURNS = 25;
const MOST_CHARACTERS = 40_000;
/** Of one call, milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

export interface Asked {
  readonly agreed: readonly Agreed[];
  /** Turns that one of three readings took for a correction. */
  readonly differing: number;
}

/** @param name as for --agent; undefined: the first that is installed */
export async function agentFor(name: string | undefined): Promise<Result<Agent>> {
  return name === undefined ? await firstInstalled() : createAgent(name);
}

/** @param dir the project. @param tell what is about to be asked */
export async function askTurns(
  agent: Agent,
  turns: readonly Turn[],
  { dir, tell }: { readonly dir: string; readonly tell: (message: string) => void },
  signal: AbortSignal,
): Promise<Result<Asked>> {
  const readings = new Map<Turn, (Correction | null)[]>(turns.map((turn) => [turn, []]));
  const told = (turn: Turn): ReturnType<typeof agreedOn> => agreedOn(turn, readings.get(turn) ?? []);
  const read = async (numbers: readonly number[], isAsked: (turn: Turn) => boolean): Promise<Result<null>> => {
    for (const [at, batch] of batchesOf(turns).entries()) {
      if (!batch.some(isAsked)) continue;
      const question = questionOn(batch, isAsked);
      const calls = numbers.map((number) => `judge:turns-${number}-${at + 1}`);
      const found = await Promise.all(calls.map((call) => readingOf(agent, question, { call, dir }, signal)));
      for (const one of found) {
        if (!one.ok) return one;
        for (const turn of batch.filter(isAsked)) readings.get(turn)?.push(one.value.get(turn) ?? null);
      }
    }
    return accepted(null);
  };
  tell(`${agent.name} reads ${turns.length} messages, twice: ${priceOf(batchesOf(turns))}`);
  const first = await read([1, 2], () => true);
  if (!first.ok) return first;
  const open = new Set(turns.filter((turn) => told(turn) === "open"));
  const last = await read([3], (turn) => open.has(turn));
  if (!last.ok) return last;
  const agreed = turns.map(told).filter((one) => one !== null && one !== "open");
  const differing = turns.filter((turn) => told(turn) === null && readings.get(turn)?.some((one) => one !== null));
  return accepted({ agreed, differing: differing.length });
}

async function readingOf(
  agent: Agent,
  { prompt, read, resolve }: Question,
  { call, dir }: { readonly call: string; readonly dir: string },
  signal: AbortSignal,
): Promise<Result<ReadonlyMap<Turn, Correction>>> {
  const request = { role: "judge", call, prompt, bindings: {}, nogoods: [], schema: SCHEMA, cwd: dir } as const;
  const outcome = await ask(agent, { ...request, timeout_ms: TIMEOUT_MS }, read, signal);
  if (outcome.kind === "answered") return accepted(resolve(outcome.value));
  const why = outcome.kind === "aborted" ? "interrupted" : outcome.reason;
  return refused(`the messages were not read: ${why}`, "name another agent with --agent, or --agent none");
}

function batchesOf(turns: readonly Turn[]): readonly (readonly Turn[])[] {
  const batches: Turn[][] = [[]];
  for (const turn of turns) {
    const last = batches.at(-1) ?? [];
    const more = [...last, turn];
    if (last.length > 0 && (more.length > MOST_TURNS || questionOn(more).prompt.length > MOST_CHARACTERS))
      batches.push([turn]);
    else last.push(turn);
  }
  return batches.filter(({ length }) => length > 0);
}

function priceOf(batches: readonly (readonly Turn[])[]): string {
  const characters = batches.reduce((sum, batch) => sum + questionOn(batch).prompt.length, 0);
  return `${batches.length * ENOUGH} questions, about ${Math.ceil((characters * ENOUGH) / 4_000)},000 tokens`;
}
