import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // Builds the command once; see there.
    globalSetup: ["tests/support/global-setup.ts"],
    // Real processes and real files: a busy machine may be slow, a test that hangs still ends.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
