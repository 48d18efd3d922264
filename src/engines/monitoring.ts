/**
 * A Grafana dashboard and alert rules of Prometheus for an engine's and its workers' figures (SPEC section 13). Pure: one table,
 * read by people who run engines.
 */

interface Panel {
  readonly title: string;
  readonly unit: "short" | "currencyUSD" | "s";
  /** Legend and PromQL. */
  readonly queries: readonly (readonly [legend: string, expression: string])[];
}

/** Whichever listener tells it: several may tell the same engine's figures. */
export const PANELS: readonly Panel[] = [
  { title: "Engine answers", unit: "short", queries: [["up", "max(aot_engine_up)"]] },
  { title: "Loops", unit: "short", queries: [["{{status}} {{outcome}}", "max by (status, outcome) (aot_loops)"]] },
  {
    title: "Tasks",
    unit: "short",
    queries: [
      ["{{state}}", "max by (state) (aot_tasks)"],
      ["held up", "max(aot_tasks_held_up)"],
    ],
  },
  { title: "Workers", unit: "short", queries: [["{{state}}", "max by (state) (aot_workers)"]] },
  {
    title: "Slots",
    unit: "short",
    queries: [
      ["all", "max(aot_slots)"],
      ["taken", "max(aot_slots_taken)"],
    ],
  },
  {
    title: "Attempts, and tasks begun again, in an hour",
    unit: "short",
    queries: [
      ["attempts", "max(increase(aot_attempts_total[1h]))"],
      ["begun again", "max(increase(aot_task_reruns_total[1h]))"],
      ["late results refused", "max(aot_late_results_refused)"],
    ],
  },
  { title: "Cost in an hour", unit: "currencyUSD", queries: [["cost", "max(increase(aot_cost_usd_total[1h]))"]] },
  { title: "Atoms left", unit: "short", queries: [["left", "max(aot_unresolved_atoms)"]] },
  {
    title: "Tasks of each worker",
    unit: "short",
    queries: [
      ["{{instance}}", "aot_worker_tasks_working"],
      ["{{instance}} waits for a remote", "aot_worker_tasks_held_up"],
    ],
  },
  {
    title: "How tasks end, in an hour",
    unit: "short",
    queries: [["{{outcome}}", "sum by (outcome) (increase(aot_worker_tasks_ended_total[1h]))"]],
  },
];

interface Alert {
  readonly name: string;
  readonly when: string;
  readonly lasting: string;
  readonly says: string;
}

export const ALERTS: readonly Alert[] = [
  {
    name: "AotEngineAway",
    when: "max(aot_engine_up) == 0 or absent(aot_engine_up)",
    lasting: "2m",
    says: "The engine does not answer. Workers and loops wait for it: start it again on its data.",
  },
  {
    name: "AotNoWorkers",
    when: 'max(aot_tasks{state="waiting"}) > 0 and max(aot_slots) == 0',
    lasting: "2m",
    says: "Tasks wait and no worker takes any: start `aot worker`.",
  },
  {
    name: "AotWorkerSilent",
    when: 'max(aot_workers{state="silent"}) > 0',
    lasting: "5m",
    says: "Nothing is heard of a worker: its tasks are begun again elsewhere. `aot loops` names what still waits for it.",
  },
  {
    name: "AotTasksWait",
    when: 'max(aot_tasks{state="waiting"}) > 0 and max(aot_slots_taken) >= max(aot_slots) > 0',
    lasting: "30m",
    says: "Every slot has been taken for half an hour, and tasks wait: more workers, or more slots.",
  },
  {
    name: "AotRemoteAway",
    when: "max(aot_tasks_held_up) > 0",
    lasting: "5m",
    says: "Tasks wait for a git remote or a silent worker; `aot loops` says which. After an hour their loops stop.",
  },
  {
    name: "AotLoopsWithoutAgent",
    when: 'max(aot_loops{outcome="agent_unavailable"}) > 0',
    lasting: "1m",
    says: "Loops stopped because no worker could go on. When it can: aot loops resume --all --outcome agent_unavailable",
  },
  {
    name: "AotLoopsWaitForYou",
    when: 'max(aot_loops{outcome="needs_confirmation"}) > 0',
    lasting: "1h",
    says: "Loops wait for a human's yes: aot loops --status stopped",
  },
  {
    name: "AotHostsDie",
    when: "max(increase(aot_task_reruns_total[30m])) > 20",
    lasting: "5m",
    says: "Tasks are begun again and again: hosts die, hang, or are cut off.",
  },
];

const [COLUMNS, WIDTH, HEIGHT] = [2, 12, 8];

/** For Grafana's import; it asks for the data source then. */
export function grafanaDashboard(): object {
  const datasource = { type: "prometheus", uid: "${datasource}" };
  return {
    title: "AoT loops",
    uid: "aot-loops",
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: PANELS.map(({ title, unit, queries }, index) => ({
      id: index + 1,
      type: "timeseries",
      title,
      datasource,
      gridPos: {
        x: (index % COLUMNS) * WIDTH,
        y: Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([legendFormat, expr], at) => ({
        refId: String.fromCodePoint(65 + at),
        datasource,
        legendFormat,
        expr,
      })),
    })),
  };
}

/** A rule file of Prometheus. JSON is YAML. */
export function alertRules(): object {
  const rules = ALERTS.map(({ name, when, lasting, says }) => ({
    alert: name,
    expr: when,
    for: lasting,
    annotations: { summary: says },
  }));
  return { groups: [{ name: "aot", rules }] };
}
