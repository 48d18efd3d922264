const { MODE, AOT_TEST_OVERLAYS } = process.env;

/** Of the cases that a law tries: what `npm test`, and a second time over overlays, tries of them (vitest.config.ts); thresholds of counts go with it. */
export const SHARE = MODE === "quick" || AOT_TEST_OVERLAYS !== undefined ? 1 / 5 : 1;
