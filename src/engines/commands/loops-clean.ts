/** `aot loops clean`: the branches of attempts that completed loops left on the shared remote. */
import { originOf } from "../origin.ts";
import { agentRefusal, viewsOf } from "../owned-loop.ts";
import { attemptBranches, deleteBranches } from "../../adapters/workspace/past-loops.ts";
import { withoutCredentials } from "../../adapters/workspace/credentials.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { engineOf, loopOf } from "./call.ts";

export const run: Run = async (call) => {
  const wanted = call.isSet("yes");
  const agent = wanted ? agentRefusal(call.io.env) : null;
  if (agent !== null) return failure(agent.problems);
  const remote = call.text("remote") ?? (await originOf(call.io.cwd));
  if (remote === null)
    return failure(refused("no remote is named, and there is no origin here", "name it with --remote").problems);
  const lines = await linesOf(call);
  if (!lines.ok) return failure(lines.problems);
  const found = await attemptBranches(call.io.cwd, remote, lines.value);
  const done = found.ok && wanted ? await deleteBranches(call.io.cwd, remote, found.value) : found;
  if (!done.ok) return failure(refused(done.problem.message, done.problem.hint).problems);
  const branches = done.value;
  const json = { success: true, remote: withoutCredentials(remote), deleted: wanted, branches };
  return { exit: 0, json, text: textOf(branches, wanted) };
};

function textOf(branches: readonly string[], wanted: boolean): string {
  if (branches.length === 0) return "completed loops left no branches of attempts there";
  if (wanted) return `deleted: ${branches.length} branches`;
  return [...branches, `${branches.length} branches; nothing was changed, \`--yes\` deletes them`].join("\n");
}

/** What the branches of completed loops are named by; two loops of a project may share it. */
async function linesOf(call: Call): Promise<Result<readonly string[]>> {
  const one = call.isSet("all") ? null : await loopOf(call);
  if (one?.ok === false) return one;
  const engine = one === null ? await engineOf(call) : accepted(one.value.engine);
  if (!engine.ok) return engine;
  const views = await viewsOf(engine.value);
  await engine.value.close();
  if (!views.ok) return views;
  const open = new Set<string>();
  const completed = new Set<string>();
  for (const { loop, state } of views.value)
    (state.control.outcome === "verified" ? completed : open).add(lineOf(loop));
  const lines = one === null ? [...completed] : [lineOf(one.value.loop)];
  const kept = lines.filter((line) => !open.has(line) && completed.has(line));
  if (one === null || kept.length > 0) return accepted(kept);
  return refused(`${one.value.loop} is not completed: its branches keep late results out`, "let it end first");
}

/** A loop is named after its line (SUBMIT-LOOP-1). */
function lineOf(loop: string): string {
  return loop.replace(/-[0-9a-f]{6}$/, "");
}
