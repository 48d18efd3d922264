import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/support/global-setup.ts"],
    // Real processes on a busy machine: a bound, not an expectation.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
