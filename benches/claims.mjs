// How right the claim audit is on real sessions, which stay outside of the repository: they are personal data.
//   node benches/claims.mjs [--show] [--all] [--missed] FOLDER...
//
// What it names (`--show`; `--all`: every claim) is for a reader to judge. What it would find is measured on the same claims in
// the same words, with what backs them taken away: `cut`: nothing but looking was done since the last edit; `failed`: the last run
// of the tests since then failed.
import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAudit } from "../dist/lib/rules/analyze/audit.js";
import { noCounts, readTranscript } from "../dist/lib/rules/replay-stream.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: "boolean" }, all: { type: "boolean" }, missed: { type: "boolean" } },
});
const EDITS = /^(?:Edit|MultiEdit|Write|NotebookEdit|apply_patch)$/;
const TESTS = /\b(?:test|tests|vitest|jest|pytest|check)\b/;
/** Entries before a claim that it is compared with. */
const LOOKED_AT = 1_000;
/** A report with a failure in it: of bun, pytest and others, cargo, go, node, jest and vitest. */
const FAILURES = [
  [/^(\s*)0 fail$/gm, "$11 fail"],
  [/^(# fail) 0$/gm, "$1 1"],
  [/^(test result: )ok/gm, "$1FAILED"],
  [/^ok +(\t\S+)/gm, "FAIL$1"],
  [/^(=+ )(\d+ passed.* in )/gm, "$11 failed, $2"],
  [/^(\s*Tests:?\s+)(\d+ passed)/gm, "$11 failed | $2"],
];
const failing = (text) => FAILURES.reduce((said, [pattern, to]) => said.replace(pattern, to), text);
const seen = new Set();
const counts = {};
const count = (key) => (counts[key] = (counts[key] ?? 0) + 1);

for (const folder of positionals.filter((path) => statSync(path).isDirectory()))
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".jsonl"))) {
    const entries = await entriesOf(join(folder, name));
    if (entries.length === 0) continue;
    for (const [end, { entry }] of entries.entries())
      if (entry.kind === "reply") for (const one of claimsAt(entries, end)) judge(entries, end, one);
  }
console.log(counts);

async function entriesOf(path) {
  const { size } = statSync(path);
  const file = { path, bytes: size, changed: 0, pieces: () => createReadStream(path, { highWaterMark: 256 * 1024 }) };
  const entries = [];
  for await (const placed of readTranscript(file, noCounts()))
    for (const one of placed) if (!one.sidechain) entries.push(one);
  return entries;
}

/** The claims of the reply at `end`, as they would be compared there. */
function claimsAt(entries, end, changed = entries.slice(Math.max(0, end - LOOKED_AT), end)) {
  const next = entries[end + 1]?.entry.kind;
  if (next !== undefined && next !== "message") return [];
  const claims = [];
  const audit = createAudit((claim, found) => claims.push({ ...claim, found }));
  for (const { entry, at, cwd } of changed) if (entry.kind !== "reply") audit.take(entry, at, cwd);
  audit.take(entries[end].entry, entries[end].at, entries[end].cwd);
  audit.stop();
  return claims;
}

function judge(entries, end, { kind, claim, found }) {
  const same = `${kind} ${claim.text} ${claim.at.line}`;
  if (seen.has(same)) return;
  seen.add(same);
  count(`claims ${kind}`);
  if (found !== null) count(`named ${kind} ${found.why}`);
  if (values.all || (values.show && found !== null))
    console.log(
      `${kind} ${found?.why ?? "backed"} ${claim.at.file}:${claim.at.line} ${claim.text} | ${found?.against?.text ?? ""}`,
    );
  if (kind !== "tests" || found !== null) return;
  const before = entries.slice(Math.max(0, end - LOOKED_AT), end);
  const since = before.findLastIndex(
    ({ entry }) => entry.kind === "call" && EDITS.test(entry.tool) && !/\.mdx?\b/.test(JSON.stringify(entry.input)),
  );
  if (since === -1) return;
  const runs = new Set(
    before.slice(since).flatMap(({ entry }) => (entry.kind === "call" && entry.tool === "Bash" ? [entry.id] : [])),
  );
  const isOf = ({ entry }) => (entry.kind === "call" || entry.kind === "result") && runs.has(entry.id);
  const cut = before.filter((one) => !isOf(one));
  const last = before
    .slice(since)
    .findLast(({ entry }) => entry.kind === "call" && runs.has(entry.id) && TESTS.test(entry.input.command))?.entry.id;
  const failed = before.map((one) =>
    one.entry.kind === "result" && one.entry.id === last
      ? { ...one, entry: { ...one.entry, exit: 1, outcome: "failed", text: failing(one.entry.text) } }
      : one,
  );
  for (const [way, changed] of Object.entries(last === undefined ? { cut } : { cut, failed })) {
    const again = claimsAt(entries, end, changed).find((one) => one.claim.text === claim.text && one.kind === kind);
    count(`${way} ${again === undefined || again.found === null ? "missed" : "named"}`);
    if (values.missed && again?.found === null)
      console.log(`missed ${way} ${claim.at.file}:${claim.at.line} ${claim.text} | ${runOf(before, last)}`);
  }
}

function runOf(entries, id) {
  return entries.find(({ entry }) => entry.kind === "call" && entry.id === id)?.entry.input.command;
}
