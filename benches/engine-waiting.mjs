// Loops that wait for a person: what they hold meanwhile, and how soon a yes is followed by what comes next.
import { memoryOf } from "./engine-site.mjs";
import { layered } from "./engine-world.mjs";

const AT_ONCE = 20;
const LIMIT_MS = 120_000;

/** Loops of one atom whose base case needs a person's yes; all of them wait before the first is given. */
export async function measureWaiting({ engine, admin, server, workers }, count) {
  const names = Array.from({ length: count }, (_, index) => `waiting-${index}`);
  const from = performance.now();
  await inTurn(names, (name) => engine.start(name, layered(1)));
  await inTurn(names, (name) => ended(engine, name, "needs_confirmation"));
  const waiting_after_s = (performance.now() - from) / 1_000;
  const invocations = await invocationsOf(admin);
  const [server_mib, worker_mib] = [memoryOf(server), memoryOf(workers)];
  const approved = performance.now();
  const latencies = await inTurn(names, async (name) => {
    const { lines } = await engine.view(name);
    const asked = Date.now();
    await engine.signal(name, { kind: "approve", id: "yes" });
    await ended(engine, name, "verified");
    // By the journal: what comes next is a task on a worker, the check of the base case.
    return Date.parse(await timeOf(engine, name, lines, "base_case_checked")) - asked;
  });
  const at = (part) => latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * part)] ?? Number.NaN;
  return {
    engine: `restate, ${count} loops that wait for a person`,
    waiting_after_s,
    invocations,
    server_mib,
    worker_mib,
    approvals_per_s: count / ((performance.now() - approved) / 1_000),
    approval_to_next_p50_ms: at(0.5),
    approval_to_next_p95_ms: at(0.95),
  };
}

async function timeOf(engine, name, from, event) {
  for (let lines = await engine.journal(name, from); lines.length > 0; lines = await engine.journal(name, from)) {
    const found = lines.find((line) => line.event === event);
    if (found !== undefined) return found.time;
    from += lines.length;
  }
  throw new Error(`${name} tells of no ${event}`);
}

/** So many at a time. */
async function inTurn(names, work) {
  const results = [];
  let next = 0;
  const one = async () => {
    while (next < names.length) {
      const index = next++;
      results[index] = await work(names[index]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return results;
}

async function ended(engine, name, outcome) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end;) {
    if ((await engine.view(name))?.state.control.outcome === outcome) return;
    await new Promise((resume) => setTimeout(resume, 250));
  }
  throw new Error(`${name} never ended as ${outcome}`);
}

/** Calls that Restate holds open. */
async function invocationsOf(admin) {
  const answer = await fetch(`${admin}/query`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ query: "select count(*) as n from sys_invocation where status <> 'completed'" }),
  });
  const { rows } = await answer.json();
  return rows[0].n;
}
