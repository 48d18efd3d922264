import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    // Builds the command once; see there.
    globalSetup: ["tests/support/global-setup.ts"],
    // Real processes and real files: a busy machine may be slow, a test that hangs still ends.
    testTimeout: 60_000,
    // One less by default; but most tests wait for processes.
    maxWorkers: Math.max(2, availableParallelism()),
    hookTimeout: 120_000,
  },
});
