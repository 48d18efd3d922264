import { loopStatus, watchStatus, type LoopStatus } from "../loop-status.ts";
import { graphJson } from "../../view/graph-text.ts";
import { showState } from "../../edit/show-state.ts";
import type { Call } from "../../command/call.ts";
import { fold } from "../../terminal/fold.ts";
import { noLoop } from "./no-loop.ts";
import { painterFor } from "../../terminal/paint.ts";
import { failure, problemsText } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf, type NamedFile } from "../../command/state-file.ts";
import { screenOf } from "../../terminal/screen.ts";
import { statusText } from "./status-text.ts";
import { watchText } from "../../terminal/watch-text.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  if (call.isSet("watch")) return await watch(call, file);
  const status = await loopStatus(file.path);
  if (!status.ok) return (await noLoop(call, file)) ?? failure(status.problems, file.shown);
  if (call.json) return { exit: 0, json: statusJson(status.value), text: "" };
  const screen = (await call.io.isTerminal(1)) ? { columns: screenOf(process.stdout).columns, rows: Infinity } : null;
  const text = statusText(status.value, await painterFor(call.io), screen);
  return { exit: 0, json: {}, text: screen === null ? text : fold(text, screen.columns) };
};

function statusJson(status: LoopStatus): object {
  const { state, graph, limits, cost_usd, active_ms, attempts, runner, checking, session, resolved, events } = status;
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    success: true,
    ...showState(state, graph),
    resolved_atoms: resolved,
    runner,
    working: status.working.map(({ atom, role, from, wait }) => ({
      atom,
      role,
      since: new Date(from).toISOString(),
      waits_until: wait?.to == null ? null : new Date(wait.to).toISOString(),
      waits_for: wait?.to == null ? null : wait.reason,
    })),
    checking: checking && {
      item: checking.item,
      why: checking.why,
      last_ms: checking.last_ms ?? null,
      from: new Date(checking.from).toISOString(),
    },
    session,
    fuel: {
      iterations: { spent: state.control.iteration, limit: limits.max_iterations },
      cost_usd: { spent: cost_usd, limit: finite(limits.max_cost_usd) },
      duration_ms: { spent: active_ms, limit: finite(limits.max_duration_ms) },
      attempts,
      other_calls: status.other_calls,
      tokens: status.tokens,
    },
    graph: graphJson(state),
    events,
  };
}

async function watch(call: Call, file: NamedFile): Promise<Answer> {
  const statuses = watchStatus(file.path);
  return await watchText(call, "aot status", async (paint, screen) => {
    const status = await statuses.read();
    return status.ok ? statusText(status.value, paint, screen) : problemsText(status.problems, file.shown);
  }).finally(statuses.close);
}
