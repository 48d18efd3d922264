/** Of the cases that a law tries: what `npm test` tries of them (vitest.config.ts); thresholds of counts go with it. */
export const SHARE = process.env["MODE"] === "quick" ? 1 / 5 : 1;
