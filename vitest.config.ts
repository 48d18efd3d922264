import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { skippedReporter } from "./tests/support/skipped-reporter.ts";

/** Run by `npm run evidence` alone (evidence/campaigns.mjs). */
const CAMPAIGNS = [
  "tests/e2e/!(dashboard.test.ts)",
  "tests/{benches/*,verdict/corpus}.test.ts",
  "tests/scenarios/{as-agreed,crash}.test.ts",
  "tests/adapters/confinement/escape.test.ts",
  "tests/{core/walk,proofs/!(mutations),model/mutants}.test.ts",
  "tests/crash/{commands,disk,every-write,phases}.test.ts",
  "tests/adapters/workspace/shared-workspace.test.ts",
  "tests/engines/{adapters/**/*,submit-loop,commands/engine-dbos}.test.ts",
];

/** What is slow for a good reason: not in `npm test`, but in `npm run test:slow`. */
const SLOW = [
  // Whole loops, real processes, a browser; what others build of the package.
  "tests/{adversaries,bad-input,conformance,crash,e2e,model,plugin,scenarios}/**/*.test.ts",
  "tests/{docs,library,package}.test.ts",
  // Contracts and campaigns over real processes.
  "tests/adapters/agents/{acp,claude,codex,command,replay}.test.ts",
  "tests/adapters/store/{journal,replaced-files,requests,state-file}.test.ts",
  "tests/host/{atomic-write,fork-window,guardian,lock,lock-containers,process}.test.ts",
  "tests/phases/run.test.ts",
  "tests/adapters/confinement/{container,place}.test.ts",
  "tests/adapters/checks/{checker,red-first,test-record}.test.ts",
  "tests/{command/next-step,doctor/killed-look,project/session-owner,rules/commands/rules-past}.test.ts",
  "tests/{core/session,session/session,status/commands/work,action,evidence}.test.ts",
  "tests/run/{container-restart,detach,sandbox}.test.ts",
  "tests/engines/commands/engine.test.ts",
  "tests/phases/commands/{phases-example,phases,phases-unattended,phases-run}.test.ts",
  "tests/terminal/watch-text.test.ts",
  "tests/interfaces/mcp/{operations,run,session}.test.ts",
  // Many repositories.
  "tests/adapters/workspace/{contract,prepared-workspace,model,snapshot}.test.ts",
  "tests/adapters/workspace/{crash,folder-repository,partial-checkout,ignored-work,leftovers,past-loops}.test.ts",
  "tests/adapters/workspace/{git-workspace,handed-commits,line-repository,odd-clones,subfolder,submodule,tree-without,slot-pool}.test.ts",
  // Servers in processes of their own.
  "tests/interfaces/dashboard/command.test.ts",
  // Large inputs, and real waiting.
  "tests/{dashboard/{feed,frames},history/{follow,loop-log},view/drawing}.test.ts",
  "tests/rules/analyze.test.ts",
  "tests/{run/{notify,receipt,report-file},project/{config,disk-space}}.test.ts",
  // Terminals and shells.
  "tests/interfaces/cli/{align,align-questions,commands,completion,help,interrupt,judge,persons-word,redirect,run,run-goal,terminal}.test.ts",
];

export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "slow" ? SLOW : ["tests/**/*.test.ts"],
    reporters: ["default", skippedReporter()],
    exclude: [...(mode === "quick" ? SLOW : []), ...(mode === "campaign" || mode === "complete" ? [] : CAMPAIGNS)],
    // Builds the command once; see there.
    globalSetup: ["tests/support/global-setup.ts"],
    setupFiles: ["tests/support/own-temporary-folder.ts"],
    // Real processes and real files: a busy machine may be slow, a test that hangs still ends.
    testTimeout: 60_000,
    // One less by default; but most tests wait for processes.
    maxWorkers: Math.max(2, availableParallelism()),
    hookTimeout: 120_000,
  },
}));
