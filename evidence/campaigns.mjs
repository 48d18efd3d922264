// The campaigns of `npm run evidence` (scripts/evidence.mjs). `rests_on`: files and folders; where one of them changes, what was
// shown is stale. `sample` takes at most ten minutes on two quiet cores, `full` as long as it takes (absent: the sample is the
// whole); each is a list of what Node runs. `figures` picks the lines of the output that say what was shown.
const tests = (...words) => ["node_modules/vitest/vitest.mjs", "run", "--mode", "campaign", ...words];
const allTests = (...words) => ["node_modules/vitest/vitest.mjs", "run", "--mode", "complete", ...words];
const engineTests = tests("tests/e2e/engine-", "tests/engines", "--exclude=**/engine-campaign.test.ts");
const pageTests = tests("tests/e2e/dashboard", "tests/e2e/report.test.ts");
const NO_CLIENT = "--exclude=tests/e2e/{engine-,dashboard,report}*";
const TESTS = /^Tests |points tried/;

/** What works attempts and keeps what they made. */
const RUNNER = ["core", "statefile", "host", "loop", "run", "adapters/store", "adapters/workspace"].map(
  (place) => `src/${place}`,
);
/** What says what is true of a commit. */
const VERDICT = ["align", "verdict", "verify", "adapters/checks", "adapters/confinement", "adapters/judge"].map(
  (place) => `src/${place}`,
);
const CLIENTS = ["adapters/agents", "adapters/confinement", "interfaces/hook", "interfaces/mcp", "session"].map(
  (place) => `src/${place}`,
);

export const CAMPAIGNS = [
  {
    name: "proof",
    shows: "every reachable state of small loops keeps every rule, and every loop halts",
    rests_on: ["proofs", "tests/proofs", "world", "src/core"],
    sample: [
      tests("tests/proofs", "tests/core/walk.test.ts"),
      ["proofs/run.mjs", "--only", "limits,crash,stop,growth,each,word,luck"],
    ],
    full: [tests("tests/proofs", "tests/core/walk.test.ts"), ["proofs/run.mjs"]],
    figures: /^(?:Tests |all |every rule|halts: )/,
  },
  {
    name: "planted-bugs",
    shows: "each bug planted in the reducer or the runner is found by the rule or law that it breaks",
    rests_on: ["proofs", "world", "src/core", "src/loop", "tests/model"],
    sample: [["proofs/run.mjs", "--mutants"], tests("tests/model/mutants.test.ts")],
    figures: /bugs planted|^Tests /,
  },
  {
    name: "crash",
    shows: "a run killed at a write, a git command or the start of an agent comes to the same end",
    rests_on: [...RUNNER, "src/phases", "tests/crash"],
    sample: [tests("tests/crash", "tests/scenarios/crash.test.ts")],
    full: [allTests("tests/crash", "tests/scenarios/crash.test.ts")],
    figures: TESTS,
  },
  {
    name: "verdict",
    shows: "work that is not there is not verified, and work that is there is",
    rests_on: [
      ...VERDICT,
      "src/core",
      "src/loop",
      "src/run",
      "src/adapters/workspace",
      "tests/verdict",
      "benches/verdict",
    ],
    sample: [
      tests("tests/verdict/corpus", "tests/scenarios/as-agreed.test.ts"),
      ["benches/verdict/run.mjs", "--sample"],
    ],
    full: [allTests("tests/verdict/corpus", "tests/scenarios/as-agreed.test.ts"), ["benches/verdict/run.mjs"]],
    figures: /^Tests |accepted|refused/,
  },
  {
    name: "escape",
    shows: "no program gets out of the sandbox",
    rests_on: ["src/adapters/confinement", "tests/adapters/confinement"],
    sample: [tests("tests/adapters/confinement/escape.test.ts")],
    figures: /^Tests |got out/,
  },
  {
    name: "engine",
    shows: "loops on a database come to the right end whatever happens to workers, database and remote",
    rests_on: ["src/engines", "src/loop", "src/core", "src/adapters/workspace", "tests/support/engines"],
    sample: [engineTests, ["scripts/prove-engine.mjs", "--loops", "20", "--seconds", "40"]],
    full: [engineTests, ["scripts/prove-engine.mjs"]],
    figures: TESTS,
  },
  {
    name: "clients",
    shows: "the real clients, pinned, do what the loop takes for granted",
    rests_on: [...CLIENTS, "plugin", "tests/e2e", "scripts/install-clients.mjs"],
    sample: [["scripts/install-clients.mjs"], tests("tests/e2e", NO_CLIENT)],
    full: [["scripts/install-clients.mjs", "--slow"], allTests("tests/e2e", NO_CLIENT)],
    figures: TESTS,
  },
  {
    name: "page",
    shows: "the page in a real browser, in all its parts",
    rests_on: ["src/dashboard", "src/view", "src/interfaces/dashboard", "tests/e2e"],
    sample: [pageTests],
    figures: TESTS,
  },
  {
    name: "bench",
    shows: "what a person waits for, beside its aim (benches/README.md)",
    rests_on: [...RUNNER, "src/rules", "benches"],
    sample: [tests("tests/benches"), ["benches/run.mjs", "--quick"]],
    full: [tests("tests/benches"), ["benches/run.mjs"]],
    figures: /^Tests |every target met|targets missed|MISS/,
  },
];
