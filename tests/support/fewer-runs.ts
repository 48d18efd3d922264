/** fast-check for the quick tests (vitest.config.ts): the same laws, each with fewer runs. */
import * as fc from "fast-check";
import { SHARE } from "./share.ts";

export * from "fast-check";

/** Where a law does not say how many. */
const USUAL = 100;

type Assert = typeof fc.assert;

export const assert: Assert = ((property: Parameters<Assert>[0], parameters: Parameters<Assert>[1] = {}) =>
  fc.assert(property, {
    ...parameters,
    numRuns: Math.ceil((parameters.numRuns ?? USUAL) * SHARE),
  })) as Assert;
