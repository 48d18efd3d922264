/** At the end of a run: what was skipped, and why. */
import type { Reporter, TestModule, Vitest } from "vitest/node";

export function skippedReporter(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit: (started) => void (vitest = started),
    onTestRunEnd(modules: readonly TestModule[]) {
      // With `-t` all others count as skipped.
      if (vitest?.config.testNamePattern !== undefined) return;
      for (const test of modules.flatMap((module) => [...module.children.allTests("skipped")])) {
        const result = test.result();
        const note = result.state === "skipped" && result.note !== undefined ? ` [${result.note}]` : "";
        process.stdout.write(` ↓ ${test.module.relativeModuleId} > ${test.fullName}${note}\n`);
      }
    },
  };
}
