/** The journal of a loop that an engine works, as `aot logs` shows a loop's (SPEC sections 8 and 13). */
import type { Owner } from "../adapters/store/owner.ts";
import { refused, type Result } from "../core/problem.ts";
import type { Engine } from "../loop/engine.ts";
import { readLogOf, showLog, type LogFilter, type LogView, type LoopLog } from "../history/loop-log.ts";
import { asking, engineNamed } from "./client.ts";
import { engineJournal, followEngine, type EngineBatch, type Following } from "./follow.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The lines that there are, oldest first. */
export async function readHostedLog(
  { engine: name, loop }: Owner,
  filter: LogFilter,
  env: Environment,
): Promise<Result<LoopLog>> {
  const engine = engineNamed(name, env);
  if (!engine.ok) return engine;
  return await asking(() => readLogOf(answered(engineJournal(engine.value, loop).read()), filter));
}

async function* answered(batches: AsyncIterable<EngineBatch>): AsyncGenerator<EngineBatch> {
  for await (const batch of batches) {
    if (batch.away !== null) throw batch.away;
    yield batch;
  }
}

/** As `followLog`, until the loop halts or the signal ends it. */
export async function followHostedLog(
  { engine: name, loop }: Owner,
  filter: LogFilter,
  view: LogView,
  { env, ...following }: Pick<Following, "signal" | "say"> & { readonly env: Environment },
): Promise<Result<null>> {
  const engine = engineNamed(name, env);
  if (!engine.ok) return engine;
  let isThere = true;
  async function* batches(from: Engine): AsyncGenerator<EngineBatch> {
    for await (const batch of followEngine(from, loop, following)) {
      isThere = batch.view !== null;
      yield batch;
    }
  }
  const followed = await asking(() => showLog(batches(engine.value), filter, view));
  if (!followed.ok) return followed;
  return isThere
    ? { ok: true, value: null }
    : refused(`${name} has no loop ${loop}`, "submit it again with `aot submit`");
}
