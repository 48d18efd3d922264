// The campaign of tests/e2e/engine-campaign.test.ts, by flags: --loops 50 --atoms 20 --seconds 600 --away 30 --seeds 5.
// Each seed is a run of its own; the first one that fails ends it, and its seed draws the same faults
// again (--seed N).
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    loops: { type: "string", default: "50" },
    atoms: { type: "string", default: "20" },
    seconds: { type: "string", default: "120" },
    away: { type: "string", default: "10" },
    seeds: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
  },
});
const line = ["node_modules/vitest/vitest.mjs", "run", "--mode", "complete", "tests/e2e/engine-campaign.test.ts"];
for (let run = 0; run < Number(values.seeds); run++) {
  const { loops, atoms, seconds, away } = values;
  const settings = { LOOPS: loops, ATOMS: atoms, SECONDS: seconds, AWAY: away };
  const env = { ...process.env, CAMPAIGN_SEED: String(Number(values.seed) + run) };
  for (const [name, value] of Object.entries(settings)) env[`CAMPAIGN_${name}`] = value;
  const { status } = spawnSync(process.execPath, line, { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}
