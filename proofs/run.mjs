// Explores every small loop, exhaustively within the bounds of proofs/sweeps.ts (see proofs/README.md).
//   node proofs/run.mjs [--deep] [--json] [--only limits,crash,...] [--loop FILE] [--threads N]
//   node proofs/run.mjs --mutants [--only HUNT,...]   plants each bug of proofs/mutations.ts and looks whether it is found
// Exit code 0: every rule held wherever it was checked, and each was. 1: a counterexample, or a rule never checked.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleSource } from "../scripts/bundle-source.mjs";
import { addUp, createPool, exploreSweep, NOTHING } from "./pool.mjs";

const WORKER = "proofs/worker.ts";
const USAGE = "node proofs/run.mjs [--deep] [--json] [--only SWEEP,...] [--loop FILE] [--threads N] [--mutants]";

/** A wrong call: reported without a stack. */
class Mistake extends Error {}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        deep: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        only: { type: "string" },
        loop: { type: "string" },
        mutants: { type: "boolean", default: false },
        threads: { type: "string", default: String(Math.min(availableParallelism(), 8)) },
      },
    });
    if (!/^[1-9]\d?$/.test(values.threads)) throw new Mistake(`--threads ${values.threads} is no number of threads`);
    return values;
  } catch (error) {
    throw error instanceof Mistake ? error : new Mistake(error.message);
  }
}

function readScene(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Mistake(`--loop ${file} cannot be read (${error.message}); a counterexample's \`scene\` is such a loop`);
  }
}

function chosen(sweeps, only) {
  if (only === undefined) return sweeps;
  return only.split(",").map((id) => {
    const sweep = sweeps.find((one) => one.id === id);
    if (sweep === undefined)
      throw new Mistake(`there is no sweep ${id}: ${sweeps.map((one) => one.id).join(", ")} (more with --deep)`);
    return sweep;
  });
}

const seconds = (since) => (performance.now() - since) / 1_000;
const figure = (number) => number.toLocaleString("en-US");

function rowOf(id, part, took) {
  return `${id.padEnd(14)} ${figure(part.loops).padStart(8)} loops ${figure(part.states).padStart(11)} worlds ${figure(part.transitions).padStart(12)} transitions, up to ${String(part.depth).padStart(2)} moves ${took.toFixed(1).padStart(7)} s`;
}

async function prove(values, say, folder) {
  const file = join(folder, "worker.mjs");
  await bundleSource(WORKER, file);
  const pool = createPool(file, Number(values.threads));
  const since = performance.now();
  try {
    const plan = await pool.ask({ kind: "plan", deep: values.deep });
    say(`Node ${process.version}, ${values.threads} threads, load ${loadavg()[0].toFixed(1)}\n`);
    const results = [];
    let total = NOTHING;
    if (values.loop !== undefined) total = await pool.ask({ kind: "scene", scene: readScene(values.loop) });
    else
      for (const sweep of chosen(plan.sweeps, values.only)) {
        const from = performance.now();
        const part = await exploreSweep(pool, sweep);
        say(`${rowOf(sweep.id, part, seconds(from))}\n${" ".repeat(15)}${sweep.says}`);
        results.push({ sweep: sweep.id, says: sweep.says, ...part, seconds: seconds(from) });
        total = addUp(total, part);
        if (part.counterexample !== null) break;
      }
    return { plan, results, total, seconds: seconds(since) };
  } finally {
    await pool.close();
  }
}

/** What is at the end, in words, and whether all is well. A rule that was never checked proves nothing. */
function judged({ plan, total, seconds: took }, whole) {
  const unchecked = plan.rules.filter((rule) => (total.checked[rule.id] ?? 0) === 0);
  const lines = plan.rules.map(
    (rule) =>
      `${rule.id.padEnd(9)} ${figure(total.checked[rule.id] ?? 0).padStart(12)} x  ${rule.says} (${rule.source})`,
  );
  lines.push(
    "",
    `halts: ${Object.entries(total.outcomes)
      .map(([outcome, times]) => `${outcome} ${figure(times)}`)
      .join(", ")}`,
  );
  lines.push(rowOf("all", total, took));
  if (total.counterexample !== null) {
    lines.push("", "COUNTEREXAMPLE", total.counterexample.text);
    return { ok: false, text: lines.join("\n") };
  }
  if (whole && unchecked.length > 0) {
    lines.push("", `never checked, so nothing is shown of it: ${unchecked.map((rule) => rule.id).join(", ")}`);
    return { ok: false, text: lines.join("\n") };
  }
  lines.push("", whole ? "every rule holds within these bounds" : "every rule that was checked holds in this part");
  return { ok: true, text: lines.join("\n") };
}

/** Plants every bug in turn: the exploration has to find each, by the rule that it breaks, and none without. */
async function plant(values, say, folder) {
  const clean = join(folder, "clean.mjs");
  await bundleSource(WORKER, clean);
  const { mutations, hunts } = await asked(clean, { kind: "mutations" });
  const jobs = hunts.map((hunt) => ({ rule: "none", why: "nothing is planted", hunt, file: clean }));
  mutations.forEach((mutation, index) =>
    jobs.push({ ...mutation, mutation, file: join(folder, `planted-${index}.mjs`) }),
  );
  const wanted = values.only?.split(",");
  if (wanted !== undefined) jobs.splice(0, jobs.length, ...jobs.filter(({ hunt }) => wanted.includes(hunt)));
  const rows = [];
  const work = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const { rule, why, hunt, mutation, file } = job;
      if (mutation !== undefined) await bundleSource(WORKER, file, mutation);
      const ask = { kind: "hunt", hunt, ...(mutation === undefined ? {} : { rule }) };
      const { counterexample, states } = await asked(file, ask);
      const found = counterexample?.rule ?? "none";
      say(
        `${found === rule ? "ok    " : "MISSED"} ${rule.padEnd(9)} ${hunt.padEnd(9)} ${figure(states).padStart(7)} worlds  ${why}`,
      );
      if (found !== rule && counterexample !== null) say(counterexample.text);
      rows.push({ rule, why, hunt, found, states, history: counterexample?.history ?? [] });
    }
  };
  await Promise.all(Array.from({ length: Number(values.threads) }, work));
  const missed = rows.filter((row) => row.found !== row.rule);
  const rules = new Set(mutations.map((mutation) => mutation.rule));
  say(
    `${rows.filter(({ rule }) => rule !== "none").length} bugs planted for ${rules.size} rules, ${missed.length} rows wrong`,
  );
  if (values.json) process.stdout.write(`${JSON.stringify({ ok: missed.length === 0, rows }, null, 1)}\n`);
  return missed.length === 0 ? 0 : 1;
}

async function asked(file, job) {
  const pool = createPool(file, 1);
  try {
    return await pool.ask(job);
  } finally {
    await pool.close();
  }
}

async function main() {
  const values = readArguments();
  const say = (text) => (values.json ? process.stderr : process.stdout).write(`${text}\n`);
  const folder = mkdtempSync(join(tmpdir(), "aot-prove-"));
  try {
    if (values.mutants) return await plant(values, say, folder);
    const proof = await prove(values, say, folder);
    const { ok, text } = judged(proof, values.only === undefined && values.loop === undefined);
    say(`\n${text}`);
    if (values.json) process.stdout.write(`${JSON.stringify({ ok, ...proof }, null, 1)}\n`);
    return ok ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  process.stderr.write(`${error.message}\nusage: ${USAGE}\n`);
  process.exitCode = 2;
}
