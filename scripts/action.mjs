// What the GitHub Action does (action.yml): runs a loop or verifies a receipt in the checkout, and says how it ended in the
// job's summary, its outputs and a comment. Its inputs come as variables: nothing of them is read by a shell.
import { spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const AOT = process.env.AOT_ACTION_PROGRAM ?? fileURLToPath(new URL("../dist/bin.cjs", import.meta.url));
const input = (name) => (process.env[`AOT_ACTION_${name}`] ?? "").trim();

// The comment's token is not for the agents and the checks.
const { GH_TOKEN: token, ...env } = process.env;

function aot(words) {
  const run = spawnSync(process.execPath, [AOT, ...words], {
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    return { code: run.status ?? 1, document: JSON.parse(run.stdout) };
  } catch {
    return { code: run.status || 1, document: { success: false, errors: [{ message: `aot answered no document` }] } };
  }
}

function verified(file) {
  const { code, document } = aot(["receipt", "verify", file, "--yes", "--json"]);
  const findings = document.findings ?? document.errors ?? [];
  const lines = findings.map(
    ({ what, why, message, holds }) => `- ${holds === false ? "**no**: " : ""}${message ?? `${what}: ${why}`}`,
  );
  const words = code === 0 ? "holds on this checkout" : "does not hold";
  return {
    code,
    outcome: code === 0 ? "holds" : "does_not_hold",
    text: [`The receipt ${words}.`, "", ...lines].join("\n"),
  };
}

function worked() {
  const checks = input("CHECK")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const flags = [
    ...checks.map((check) => `--check=${check}`),
    ...["AGENT", "MAX_DURATION", "MAX_COST_USD"].flatMap((name) =>
      input(name) === "" ? [] : [`--${name.toLowerCase().replaceAll("_", "-")}=${input(name)}`],
    ),
  ];
  const goal = input("GOAL");
  const named = goal === "" ? [] : ["--", goal];
  const { code, document } = aot(["run", "--json", ...flags, ...(checks.length > 0 ? ["--yes"] : []), ...named]);
  const [error] = document.errors ?? [];
  const outcome = document.outcome ?? error?.code ?? "failed";
  const text = `AoT Loop: **${outcome}**. ${document.message ?? error?.message ?? ""}`;
  if (code !== 0) return { code, outcome, text };
  const receipt = join(process.env.RUNNER_TEMP ?? ".", "aot-receipt.json");
  writeFileSync(receipt, `${JSON.stringify(aot(["receipt", "--json"]).document, null, 2)}\n`);
  const request = aot(["pr", "--json"]).document;
  return { code, outcome, text: `${text}\n\n${request.body ?? ""}`, receipt };
}

function comment(number, body) {
  const words = ["issue", "comment", number, "--body-file", "-"];
  const { status } = spawnSync("gh", words, { env: { ...env, GH_TOKEN: token }, input: body, stdio: ["pipe", 2, 2] });
  if (status !== 0) console.error(`the comment on ${number} could not be written: may the token write there?`);
  return status === 0;
}

const { code, outcome, text, receipt } = input("RECEIPT") === "" ? worked() : verified(input("RECEIPT"));
console.log(text);
if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${text}\n`);
const outputs = [`outcome=${outcome}`, ...(receipt === undefined ? [] : [`receipt=${receipt}`])];
if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `${outputs.join("\n")}\n`);
const said = input("COMMENT") === "" || comment(input("COMMENT"), text);
process.exit(code === 0 && !said ? 1 : code);
