/** `aot history`: how each agent did by kind of work on this machine, and what that says of this loop (SPEC section 10). */
import { existsSync } from "node:fs";
import { formatDuration } from "../../core/fuel.ts";
import { forgetPastAtoms, readPastAtoms } from "../../history/past-atoms-file.ts";
import { pastShares, type PastShare } from "../../history/past-atoms.ts";
import { forecastWords } from "../../view/forecast.ts";
import { dollars } from "../../view/words.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { loopStatus } from "../loop-status.ts";

export const run: Run = async (call): Promise<Answer> => {
  const { path } = stateFileOf(call);
  if (call.isSet("forget")) {
    const forgotten = forgetPastAtoms(path);
    return { exit: 0, json: { success: true, forgotten }, text: forgotten ? "forgotten" : "there is no history" };
  }
  const shares = pastShares(readPastAtoms(path));
  const status = existsSync(path) ? await loopStatus(path) : null;
  if (status?.ok === false) return failure(status.problems);
  const forecast = status?.value.forecast ?? null;
  const next = status === null ? [] : ["", `still to come in this loop: ${forecastWords(forecast)}`];
  const text = shares.length === 0 ? ["no history: no atom was resolved or given up here yet"] : table(shares);
  return { exit: 0, json: { success: true, past: shares, forecast }, text: [...text, ...next].join("\n") };
};

function table(shares: readonly PastShare[]): readonly string[] {
  const rows = [
    ["agent", "kind", "atoms", "resolved", "attempts each", "time each", "cost each"],
    ...shares.map(({ agent, kind, atoms, resolved, attempts, ms, cost_usd }) => [
      agent,
      kind,
      String(atoms),
      String(resolved),
      String(Math.round(attempts * 10) / 10),
      formatDuration(ms),
      cost_usd === null ? "?" : dollars(cost_usd),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
