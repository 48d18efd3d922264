/** Figures in the text format that Prometheus reads. Pure. */

type Labels = Readonly<Record<string, string>>;

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly samples: readonly (readonly [labels: Labels, value: number, suffix?: string])[];
}

export function metricsText(metrics: readonly Metric[]): string {
  return metrics.map((metric) => `${blockOf(metric)}\n`).join("");
}

export function one(name: string, type: Metric["type"], help: string, value: number): Metric {
  return { name, type, help, samples: [[{}, value]] };
}

export function byKey(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function blockOf({ name, help, type, samples }: Metric): string {
  const lines = samples.map(([labels, value, suffix = ""]) => `${name}${suffix}${labelText(labels)} ${value}`);
  return [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...lines,
  ].join("\n");
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
