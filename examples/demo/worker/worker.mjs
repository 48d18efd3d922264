// The agent whose run was recorded for the demo (`npm run demo:record`). It is a script, not a model: it
// knows a solution for each atom, writes it, runs that atom's real tests in its folder, and reports what
// they said. Its usage figures are samples.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SOLUTIONS } from "./solutions.mjs";

const request = JSON.parse(readFileSync(0, "utf8"));
const solution = SOLUTIONS[request.atom?.description ?? request.role];
const answer =
  solution === undefined
    ? {
        success: false,
        summary: `nobody knows how to do this: ${request.atom?.description ?? request.role}`,
        artifacts: [],
      }
    : await work(solution);
process.stdout.write(
  `${JSON.stringify({ ...answer, usage: { cost_usd: solution?.cost ?? 0, input_tokens: 9_000, output_tokens: 700 } })}\n`,
);

async function work({ answer, files = {}, remove = [], test, summary, seconds }) {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  if (answer !== undefined) return answer;
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  for (const path of remove) rmSync(path);
  const artifacts = [...Object.keys(files), ...remove];
  if (test === undefined) return { success: true, summary, artifacts };
  const ran = spawnSync(process.execPath, ["--test", test], { encoding: "utf8", env: { PATH: process.env.PATH } });
  if (ran.status === 0) return { success: true, summary: `${summary}; ${test} passes`, artifacts };
  const reason = /\d+ !== \d+/.exec(ran.stdout)?.[0] ?? "see its output";
  return { success: false, summary: `${test} fails: ${reason}`, artifacts };
}
