/**
 * How many cases are tried, and how a failing one is played again:
 *
 *     AOT_MODEL_RUNS=20000 npx vitest run tests/model            a long run
 *     AOT_MODEL_SEED=<seed> AOT_MODEL_PATH=<path> [AOT_MODEL_REPLAY=<replayPath>] \
 *       npx vitest run tests/model -t "<name of the test>"       one failing case, as the failure prints it
 */
import type { Parameters } from "fast-check";

const { AOT_MODEL_RUNS, AOT_MODEL_SEED, AOT_MODEL_PATH, AOT_MODEL_REPLAY } = process.env;

/** Which commands of a sequence ran. */
export const REPLAY = AOT_MODEL_REPLAY === undefined ? {} : { replayPath: AOT_MODEL_REPLAY };

/** @param usual cases without AOT_MODEL_RUNS, which is the number for the largest test; the others keep their share */
export function runsOf(usual: number): number {
  return AOT_MODEL_RUNS === undefined ? usual : Math.max(1, Math.round((Number(AOT_MODEL_RUNS) * usual) / LARGEST));
}

const LARGEST = 1_500;

export function casesOf<T>(usual: number): Parameters<T> {
  return {
    numRuns: runsOf(usual),
    ...(AOT_MODEL_SEED === undefined ? {} : { seed: Number(AOT_MODEL_SEED) }),
    ...(AOT_MODEL_PATH === undefined ? {} : { path: AOT_MODEL_PATH, endOnFailure: true }),
  };
}
