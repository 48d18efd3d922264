/**
 * Why a check turned green (SPEC section 6): the fewest changed files with which it is, beside what decides it as agreed. Looked for
 * in a bounded time by leaving files out, the larger part first. Text for a person, never a gate.
 */
import { agreedFor, textsOf, type AgreedWorld, type ChangedFile, type CommandNode } from "./as-agreed.ts";
import type { LeafResult } from "../core/verdict.ts";

const MOST_RUNS = 8;
/** Milliseconds of all runs for one check, as its own took it: a person waits for them. */
const MOST_MS = 2_000;

/** The result with its cause; null: no file is left that could be it, or there was no time to tell. */
export async function withCause(
  node: CommandNode,
  changed: readonly ChangedFile[],
  world: AgreedWorld,
): Promise<LeafResult | null> {
  const { evidence } = node;
  if (evidence.kind !== "command") return null;
  const { back } = await agreedFor(node, changed, world);
  const { files } = world;
  const kept = textsOf(back);
  const all = files.changed.filter((path) => !kept.has(path));
  let runs = Math.min(MOST_RUNS, Math.floor(MOST_MS / Math.max(1, evidence.duration_ms)));
  const isGreen = async (some: readonly string[]): Promise<boolean> => {
    if (runs-- <= 0) return false;
    const others = all.filter((path) => !some.includes(path));
    await files.replace(new Map([...kept, ...others.map((path) => [path, null] as const)]));
    return (await world.run(node, "as_agreed")).passed === true;
  };
  let because = all;
  for (let size = all.length; size > 1;) {
    size = Math.ceil(size / 2);
    for (let at = 0; at < because.length && because.length > 1;) {
      const fewer = because.toSpliced(at, size);
      if (fewer.length > 0 && (await isGreen(fewer))) because = fewer;
      else at += size;
    }
  }
  const isUnknown = because.length > MOST_NAMED || (because === all && all.length > 1 && runs <= 0);
  return because.length === 0 || isUnknown ? null : { ...node, evidence: { ...evidence, because } };
}

const MOST_NAMED = 8;
