/** The dashboard and the alerts ask for figures that an engine and its workers really tell (SPEC section 13). */
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFigures, noteEnded } from "../../src/engines/adapters/worker-figures.ts";
import { engineFigures } from "../../src/engines/metrics.ts";
import { ALERTS, alertRules, grafanaDashboard, PANELS } from "../../src/engines/monitoring.ts";
import { workerMetricsText } from "../../src/engines/worker-observability.ts";
import { createEmbeddedEngine } from "../../world/embedded-engine.ts";
import { systemClock } from "../../src/project/clock.ts";
import { createScript } from "../support/engines/script.ts";
import { viewed } from "../support/engines/scripted-loops.ts";
import { freePorts } from "../support/free-ports.ts";
import { stateOf } from "../support/loops.ts";
import { needs } from "../support/needs.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { until } from "../fixtures/programs.ts";

const AGGREGATES = new Set(
  "max sum by increase rate histogram_quantile absent and or le state status outcome m h".split(" "),
);

/** Names of figures, and what their labels have to be. */
function askedIn(expression: string): readonly string[] {
  const plain = expression.replaceAll(/\{[^}]*\}|\[\w+\]/g, "");
  return (plain.match(/[a-z_]+/g) ?? []).filter((word) => !AGGREGATES.has(word));
}

const EXPRESSIONS = [
  ...PANELS.flatMap(({ queries }) => queries.map(([, expression]) => expression)),
  ...ALERTS.map(({ when }) => when),
];

async function realText(): Promise<string> {
  const script = createScript();
  const engine = createEmbeddedEngine({ clock: systemClock, open: (task) => script.open(task) });
  const workers = [
    {
      name: "w",
      version: "1",
      slots: 2,
      working: 1,
      draining: false,
      seen_at: systemClock.now(),
    },
  ];
  const figures = engineFigures(() => ({ ...engine, workers: () => Promise.resolve(workers) }));
  onTestFinished(figures.close);
  const memory = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
  const settings = { verify_each: false, confirmed: false };
  await engine.start("one", { state: stateOf({ atoms: [{ id: "A1" }] }), memory, settings, terms: {} });
  await viewed(engine, "one", ({ state }) => state.control.outcome === "verified");
  const worker = createFigures(2);
  noteEnded(worker, null);
  return (await figures.text()) + workerMetricsText(worker, 0, false);
}

test("SPEC 13: every figure, and every label, that the dashboard and the alerts ask for is told", async () => {
  const text = await realText();
  const told = new Set(text.split("\n").flatMap((line) => /^([a-z_]+)[{ ]/.exec(line)?.slice(1) ?? []));
  const asked = new Set(EXPRESSIONS.flatMap(askedIn));
  expect([...asked].filter((name) => !told.has(name))).toEqual([]);
  expect(asked.size).toBeGreaterThan(12);
  for (const expression of EXPRESSIONS)
    for (const [, name = "", label = "", value = ""] of expression.matchAll(/([a-z_]+)\{(\w+)="(\w+)"\}/g))
      if (label === "state") expect(text).toContain(`${name}{${label}="${value}"}`);
      else expect(text).toMatch(new RegExp(`^${name}\\{.*${label}="`, "m"));
});

test("SPEC 13: panels and alerts are whole: each has an id, a place and words of its own", () => {
  const { panels } = grafanaDashboard() as {
    readonly panels: readonly { id: number; gridPos: { x: number; y: number } }[];
  };
  const places = panels.map(({ id, gridPos: { x, y } }) => [id, `${x},${y}`] as const);
  expect(new Set(places.map(([id]) => id)).size).toBe(PANELS.length);
  expect(new Set(places.map(([, place]) => place)).size).toBe(PANELS.length);
  const { groups } = alertRules() as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
  };
  expect(new Set(groups[0]?.rules.map(({ alert }) => alert)).size).toBe(ALERTS.length);
});

/** What makes each alert fire, beside what holds while all is well. */
const WELL: Readonly<Record<string, string>> = {
  aot_engine_up: "1x180",
  aot_slots: "4x180",
  aot_slots_taken: "4x180",
  aot_tasks_held_up: "0x180",
  aot_task_reruns_total: "0x180",
  'aot_tasks{state="waiting"}': "0x180",
  'aot_workers{state="silent"}': "0x180",
  'aot_loops{status="completed",outcome="verified"}': "9x180",
};
const FIRES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AotEngineAway: { aot_engine_up: "0x180" },
  AotNoWorkers: { 'aot_tasks{state="waiting"}': "1x180", aot_slots: "0x180", aot_slots_taken: "0x180" },
  AotWorkerSilent: { 'aot_workers{state="silent"}': "1x180" },
  AotTasksWait: { 'aot_tasks{state="waiting"}': "1x180" },
  AotRemoteAway: { aot_tasks_held_up: "1x180" },
  AotLoopsWithoutAgent: { 'aot_loops{status="stopped",outcome="agent_unavailable"}': "1x180" },
  AotLoopsWaitForYou: { 'aot_loops{status="stopped",outcome="needs_confirmation"}': "1x180" },
  AotHostsDie: { aot_task_reruns_total: "0+1x180" },
};

test("SPEC 13: each alert fires for what it is about, after its while, and for nothing else (promtool)", () => {
  needs("promtool");
  const folder = temporaryFolder();
  writeFileSync(join(folder, "rules.yml"), JSON.stringify(alertRules()));
  const tests = Object.entries({ ...FIRES, none: {} }).map(([name, series]) => ({
    interval: "1m",
    input_series: Object.entries({ ...WELL, ...series }).map(([one, values]) => ({ series: one, values })),
    alert_rule_test: ALERTS.flatMap((alert) => {
      const annotations = { exp_annotations: { summary: alert.says } };
      return [
        { eval_time: "0m", alertname: alert.name, exp_alerts: [] },
        { eval_time: "2h", alertname: alert.name, exp_alerts: alert.name === name ? [annotations] : [] },
      ];
    }),
  }));
  expect(Object.keys(FIRES).toSorted()).toEqual(ALERTS.map(({ name }) => name).toSorted());
  writeFileSync(join(folder, "tests.yml"), JSON.stringify({ rule_files: ["rules.yml"], tests }));
  execFileSync("promtool", ["check", "rules", "rules.yml"], { cwd: folder });
  execFileSync("promtool", ["test", "rules", "tests.yml"], { cwd: folder });
});

test("SPEC 13: every panel has data, and every alert can be asked, in a real Prometheus", async () => {
  needs("prometheus");
  const text = await realText();
  const told = createServer((_, response) => response.end(text));
  await new Promise<void>((resolve) => told.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => told.close(resolve));
    told.closeAllConnections();
    await closed;
  });
  const folder = temporaryFolder();
  const { port } = told.address() as AddressInfo;
  writeFileSync(join(folder, "rules.yml"), JSON.stringify(alertRules()));
  const scrape_configs = [{ job_name: "aot", static_configs: [{ targets: [`127.0.0.1:${port}`] }] }];
  const every = { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" };
  writeFileSync(
    join(folder, "config.yml"),
    JSON.stringify({ global: every, rule_files: ["rules.yml"], scrape_configs }),
  );
  const [own = 0] = await freePorts(1);
  const listen = `127.0.0.1:${own}`;
  const flags = ["--config.file=config.yml", "--storage.tsdb.path=data", `--web.listen-address=${listen}`];
  const prometheus = spawn("prometheus", flags, { cwd: folder, stdio: "ignore" });
  const ended = new Promise((resolve) => prometheus.once("exit", resolve));
  onTestFinished(async () => {
    prometheus.kill("SIGKILL");
    await ended;
  });
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://${listen}/api/v1/${path}`).catch(() => null);
    return answer?.ok === true ? ((await answer.json()) as { readonly data: unknown }).data : null;
  };
  const lacking = async (): Promise<readonly string[]> => {
    const without: string[] = [];
    for (const expression of PANELS.flatMap(({ queries }) => queries.map(([, query]) => query))) {
      const data = (await ask(`query?query=${encodeURIComponent(expression)}`)) as {
        readonly result: unknown[];
      } | null;
      if (data === null || data.result.length === 0) without.push(expression);
    }
    return without;
  };
  let without: readonly string[] = [];
  await until(async () => (without = await lacking()).length === 0, "data", 30_000).catch(() => {});
  expect(without).toEqual([]);
  const rules = (): Promise<unknown> => ask("rules");
  await until(async () => JSON.stringify(await rules()).split('"health":"ok"').length > ALERTS.length, "rules", 30_000);
});
