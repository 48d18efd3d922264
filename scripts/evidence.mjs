// What is too slow for every gate is shown by content: evidence/campaigns.mjs names each campaign with the files that it rests on,
// and evidence/NAME.json keeps what it showed, with the digest of those files. Where the digest still fits nothing is run again.
//   node scripts/evidence.mjs [NAME...]          runs what is stale, each as a sample of at most ten minutes, and records it
//   node scripts/evidence.mjs --full [NAME...]   the whole campaigns: hours
//   node scripts/evidence.mjs --list             says what is shown, and what is not since which commit
//   node scripts/evidence.mjs --within SECONDS [--report FILE]
//       for .ci/run: runs those stale samples that fit and names the others; records nothing. --report writes the results as
//       vitest's JSON reporter does.
// It works on the current folder. A campaign that is named is run though it is fresh. Exit 0: nothing that ran failed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";

/** A sample that takes longer is ended, and has shown nothing; seconds. */
const SAMPLE_S = 600;
/** Of what a campaign prints this much is looked through for its figures, characters. */
const TAIL = 20_000;

const root = process.cwd();
const { values, positionals } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    within: { type: "string" },
    report: { type: "string" },
  },
  allowPositionals: true,
});

function git(...args) {
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${error ?? stderr}`);
  return stdout;
}

/** @returns the digest of the campaign's files, names and contents, as they are in the work tree */
function digestOf({ name, rests_on }) {
  const hash = createHash("sha256");
  for (const place of rests_on) {
    const listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", place).split("\0");
    const files = listed.filter((file) => file !== "" && existsSync(join(root, file)));
    if (files.length === 0)
      throw new Error(`evidence/campaigns.mjs: ${name} rests on ${place}, and there is no such file`);
    for (const file of [...new Set(files)].toSorted((a, b) => (a < b ? -1 : 1)))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

const recordFile = (name) => join(root, "evidence", `${name}.json`);

/** @returns what was recorded of its sample and of the whole; {}: nothing yet */
function recordOf(name) {
  return existsSync(recordFile(name)) ? JSON.parse(readFileSync(recordFile(name), "utf8")) : {};
}

/** @returns how the campaign stands: `fresh` where its sample or the whole was shown with these very files */
function standingOf(campaign) {
  const digest = digestOf(campaign);
  const record = recordOf(campaign.name);
  const shown = [record.full, record.sample].filter((one) => one !== undefined);
  const wanted = values.full && campaign.full !== undefined ? [record.full] : shown;
  const latest = shown.toSorted((a, b) => b.date.localeCompare(a.date))[0];
  return { campaign, digest, record, latest, fresh: wanted.some((one) => one?.digest === digest) };
}

/** Runs one program of Node's, what it prints is shown. @returns its exit code (null: it was ended) and the end of its output */
async function run(words, limit_s) {
  // A group of its own: what it started ends with it.
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let tail = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      process.stdout.write(text);
      tail = (tail + text).slice(-TAIL);
    });
  const endAll = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const timer = limit_s === Infinity ? undefined : setTimeout(endAll, limit_s * 1000);
  const [code] = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ended) => resolve(ended));
  });
  clearTimeout(timer);
  return { code, tail: stripVTControlCharacters(tail) };
}

/** @returns what the campaign showed; `code` null: its time was over */
async function show({ name, figures, sample, full = sample }, limit_s) {
  const from = performance.now();
  const taken = () => (performance.now() - from) / 1000;
  const shown = [];
  for (const words of values.full ? full : sample) {
    console.log(`\n==> ${name}: node ${words.join(" ")}`);
    const { code, tail } = await run(words, Math.max(1, limit_s - taken()));
    shown.push(
      ...tail
        .split("\n")
        .map((line) => line.trim().replaceAll(/ +/g, " "))
        .filter((line) => figures.test(line)),
    );
    if (code !== 0) return { code, shown, seconds: Math.round(taken()) };
  }
  return { code: 0, shown, seconds: Math.round(taken()) };
}

function keep({ campaign, digest, record }, { shown, seconds }) {
  const kept = {
    date: new Date().toISOString().slice(0, 10),
    commit: git("rev-parse", "--short=8", "HEAD").trim(),
    digest,
    seconds,
    figures: shown,
  };
  const whole = { shows: campaign.shows, ...record, [values.full ? "full" : "sample"]: kept };
  writeFileSync(recordFile(campaign.name), `${JSON.stringify(whole, null, 2)}\n`);
}

const said = ({ campaign: { name }, latest, fresh }) =>
  fresh
    ? `shown: ${name}, at ${latest.commit}, ${latest.date}: ${latest.figures.join("; ")}`
    : `not shown since ${latest?.commit ?? "ever"}: ${name}; npm run evidence -- ${name}`;

const names = (results) =>
  results.map(({ name, ok }) => ({ fullName: `evidence: ${name}`, status: ok ? "passed" : "failed" }));

async function main() {
  const { CAMPAIGNS } = await import(pathToFileURL(join(root, "evidence/campaigns.mjs")).href);
  const unknown = positionals.find((name) => !CAMPAIGNS.some((campaign) => campaign.name === name));
  if (unknown !== undefined)
    throw new Error(`there is no campaign ${unknown}: ${CAMPAIGNS.map(({ name }) => name).join(", ")}`);
  const standings = CAMPAIGNS.map(standingOf);
  if (values.list) return standings.forEach((standing) => console.log(said(standing)));
  const end = values.within === undefined ? Infinity : performance.now() + Number(values.within) * 1000;
  const results = [];
  for (const standing of standings) {
    const { campaign, fresh, record } = standing;
    const wanted = positionals.length > 0 ? positionals.includes(campaign.name) : !fresh;
    const left_s = (end - performance.now()) / 1000;
    if (!wanted || left_s < (record.sample?.seconds ?? SAMPLE_S)) {
      console.log(said(standing));
      continue;
    }
    const result = await show(campaign, values.full ? Infinity : Math.min(SAMPLE_S, left_s));
    if (result.code === null) {
      console.log(`${said(standing)} (its time was over after ${result.seconds} s)`);
      if (values.within === undefined) results.push({ name: campaign.name, ok: false });
      continue;
    }
    const ok = result.code === 0;
    results.push({ name: campaign.name, ok });
    console.log(`==> ${campaign.name}: ${ok ? "shown" : `FAILED with ${result.code}`}, ${result.seconds} s`);
    if (ok && values.within === undefined) keep(standing, result);
  }
  const failed = results.some(({ ok }) => !ok);
  if (values.report !== undefined)
    writeFileSync(
      values.report,
      JSON.stringify({
        testResults: [{ name: "evidence", status: failed ? "failed" : "passed", assertionResults: names(results) }],
      }),
    );
  process.exitCode = failed ? 1 : 0;
}

await main();
