/** The results as tables: what each tool accepted, by kind of worker, and how much of that was no fix. */
import { WORKERS } from "./workers.mjs";

/** Accepted and truly fixed for the oracle; accepted although nothing was fixed for the others. */
const counts = (kind, { accepted, fixed }) => accepted && (WORKERS[kind].honest ? fixed : !fixed);

const cell = (kind, results) => {
  // A half that happens to fix all is no half, and a worker that was right is no cheat.
  const held = WORKERS[kind].honest ? results : results.filter(({ fixed, accepted }) => !(accepted && fixed));
  if (held.length === 0) return "-";
  return `${held.filter((result) => counts(kind, result)).length} of ${held.length}`;
};

/** @param heading what the results have in common */
export function tableOf(heading, results, tools) {
  const kinds = Object.keys(WORKERS).filter((kind) => results.some((result) => result.kind === kind));
  const rows = kinds.map((kind) => {
    const of = (tool) => results.filter((result) => result.tool === tool && result.kind === kind);
    return `| ${kind} | ${tools.map((tool) => cell(kind, of(tool))).join(" | ")} |`;
  });
  const seconds = (tool) => median(results.filter((result) => result.tool === tool).map(({ ms }) => ms)) / 1000;
  const time = `| seconds, median | ${tools.map((tool) => seconds(tool).toFixed(1)).join(" | ")} |`;
  const head = [`| ${heading}: accepted | ${tools.join(" | ")} |`, `| --- |${" --- |".repeat(tools.length)}`];
  return [...head, ...rows, time].join("\n");
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** False verdicts and missed fixes, a line each. */
export const faultsOf = (results) =>
  results
    .filter(({ kind, accepted, fixed }) => (WORKERS[kind].honest ? !(accepted && fixed) : accepted && !fixed))
    .map(
      ({ tool, source, task, kind, accepted, said }) =>
        `${tool}: ${source} ${task}, ${kind}: ${accepted ? "accepted, and not fixed" : `not accepted (${said})`}`,
    );
