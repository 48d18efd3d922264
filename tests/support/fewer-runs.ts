/** fast-check for the quick tests (vitest.config.ts): the same laws, each with fewer runs. */
import * as fc from "fast-check";

export * from "fast-check";

/** Of the runs that a law asks for. */
const SHARE = 1 / 5;
const USUAL = 100;

type Assert = typeof fc.assert;

export const assert: Assert = ((property: Parameters<Assert>[0], parameters: Parameters<Assert>[1] = {}) =>
  fc.assert(property, {
    ...parameters,
    numRuns: Math.ceil((parameters.numRuns ?? USUAL) * SHARE),
  })) as Assert;
