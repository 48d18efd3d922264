/** At the end of a run: what was skipped, and why. */
import type { Reporter, TestModule } from "vitest/node";

export const skippedReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    for (const test of skipped) {
      const result = test.result();
      const note = result.state === "skipped" && result.note !== undefined ? ` [${result.note}]` : "";
      process.stdout.write(` ↓ ${test.module.relativeModuleId} > ${test.fullName}${note}\n`);
    }
  },
};
