/** The journal of a loop that an engine works, as `aot log` shows a loop's (SPEC sections 8 and 13). */
import type { Owner } from "../../adapters/store/owner.ts";
import type { AnyLine } from "../../core/journal-line.ts";
import { refused, type Result } from "../../core/problem.ts";
import { createGathering, isWanted, type LogFilter, type LoopLog } from "../loop-log.ts";
import { asking, engineNamed } from "./engine-client.ts";
import { engineJournal, followLoop } from "./engine-follow.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface HostedLog extends LoopLog {
  /** How many lines there are in all. */
  readonly seen: number;
}

/** The lines that there are, oldest first. */
export async function readHostedLog(
  { engine: name, loop }: Owner,
  filter: LogFilter,
  env: Environment,
): Promise<Result<HostedLog>> {
  const engine = engineNamed(name, env);
  if (!engine.ok) return engine;
  return await asking(async () => {
    const log = createGathering(filter);
    let seen = 0;
    for await (const batch of engineJournal(engine.value, loop).read()) {
      if (batch.away !== null) throw batch.away;
      seen += batch.lines.length + batch.skipped;
      log.add(batch);
    }
    return { ...log.whole(), seen };
  });
}

/** Hands over what comes after the first `seen` lines, until the loop halts or the signal ends it. */
export async function followHostedLog(
  { engine: name, loop }: Owner,
  { atom, seen }: LogFilter & Pick<HostedLog, "seen">,
  {
    env,
    each,
    signal,
    say,
  }: {
    readonly env: Environment;
    readonly each: (line: AnyLine) => void;
    readonly signal: AbortSignal;
    readonly say: (message: string) => void;
  },
): Promise<Result<null>> {
  const engine = engineNamed(name, env);
  if (!engine.ok) return engine;
  let count = 0;
  const told = (line: object): void => {
    const one: AnyLine = { ...line };
    if (count++ >= seen && isWanted(one, atom)) each(one);
  };
  const followed = await followLoop(engine.value, loop, told, { signal, from: 0, say });
  if (!followed.ok) return followed;
  return followed.value === null && !signal.aborted
    ? refused(`${name} has no loop ${loop}`, "submit it again with `aot submit`")
    : { ok: true, value: null };
}
