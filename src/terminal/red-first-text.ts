/** The red-first report as a table (SPEC section 6). Pure. */
import type { RedFirstReport, Standing } from "../adapters/checks/red-first.ts";
import { describeCheck } from "../core/verdict.ts";
import type { Painter, Style } from "./paint.ts";
import { evidenceLine, oneLine } from "./verdict-text.ts";

const STYLES: Readonly<Record<Standing, Style>> = {
  red: "green",
  vacuous: "yellow",
  invariant: "cyan",
  flaky: "red",
  broken: "red",
  undecided: "dim",
};

const WIDTH = 9;

/** Each leaf with its standing before any work, then the warnings. */
export function redFirstLines(report: RedFirstReport, paint: Painter): string[] {
  const lines = report.leaves.flatMap(({ item, check, standing, why, result }) => {
    const what = oneLine(describeCheck(check));
    const name = item === what || what.endsWith(item) ? what : `${oneLine(item)} (${what})`;
    // Why a check is broken quotes its evidence already.
    const evidence = evidenceLine(result.evidence);
    const reported =
      standing === "undecided" || standing === "broken" || standing === "flaky"
        ? [why]
        : // What to write instead is worth a line of its own, whatever the evidence is; and so are names of tests.
          standing === "vacuous" || (result.evidence.kind === "command" && result.evidence.tests !== undefined)
          ? [evidence, why]
          : [`${why} | ${evidence}`];
    return [
      `${paint(STYLES[standing], standing.padEnd(WIDTH))}  ${name}`,
      ...reported.map((line) => `${" ".repeat(WIDTH + 2)}${paint("dim", oneLine(line, line === why ? 400 : 220))}`),
    ];
  });
  const warnings = report.warnings.map(
    ({ item, message }) => `${paint("yellow", "warning".padEnd(WIDTH))}  ${oneLine(item)}: ${oneLine(message, 600)}`,
  );
  return [...lines, ...warnings];
}
