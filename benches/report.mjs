/** The figures as a table, each with its target and whether it was met. */

/** `most`, `least`: the target; without one a figure is only reported. */
export function verdictOf({ figure, most, least }) {
  if (most !== undefined && most !== null) return figure <= most ? "pass" : "MISS";
  if (least !== undefined) return figure >= least ? "pass" : "MISS";
  return "";
}

export function tableOf(title, rows) {
  const lines = rows.map((row) => [
    row.what,
    `${formatted(row.figure)} ${row.unit}`,
    targetOf(row),
    verdictOf(row),
    row.note ?? "",
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column].length)));
  return [
    `\n${title}`,
    ...lines.map(
      (line) =>
        `  ${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}`,
    ),
  ].join("\n");
}

function targetOf({ most, least }) {
  if (most !== undefined && most !== null) return `at most ${formatted(most)}`;
  return least === undefined ? "" : `at least ${formatted(least)}`;
}

function formatted(number) {
  if (!Number.isFinite(number)) return "?";
  if (Number.isInteger(number)) return number.toLocaleString("en-US");
  return Math.abs(number) >= 100 ? Math.round(number).toLocaleString("en-US") : number.toFixed(number < 10 ? 2 : 1);
}
