/** `aot engine clean`: forgets loops that were completed a while ago. */
import { asking } from "../client.ts";
import { agentRefusal } from "../owned-loop.ts";
import type { Result } from "../../core/problem.ts";
import type { Engine, OverLoop, Retention } from "../../loop/engine.ts";
import { engineOf } from "./call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";

const DEFAULT_DAYS = 30;

export const run: Run = async (call) => {
  const engine = await engineOf(call);
  if (!engine.ok) return failure(engine.problems);
  const [days, wanted] = [call.number("older-than") ?? DEFAULT_DAYS, call.isSet("yes")];
  const agent = wanted ? agentRefusal(call.io.env) : null;
  if (agent !== null && !agent.ok) return failure(agent.problems);
  const done = await cleaned(engine.value, days, wanted);
  await engine.value.close();
  if (!done.ok) return failure(done.problems);
  const loops = done.value;
  const json = { success: true, engine: engine.value.name, older_than_days: days, forgotten: wanted, loops };
  return { exit: 0, json, text: textOf(loops, days, wanted) };
};

async function cleaned({ retention }: Engine, days: number, wanted: boolean): Promise<Result<readonly OverLoop[]>> {
  return await asking(async () => {
    const over = await retention.over(days);
    return wanted ? await forgotten(retention, over, days) : over;
  });
}

/** Those that are over no more by now stay, and are not named. */
async function forgotten(retention: Retention, over: readonly OverLoop[], days: number): Promise<readonly OverLoop[]> {
  const gone: OverLoop[] = [];
  for (const one of over) if (await retention.forget(one.loop, days)) gone.push(one);
  return gone;
}

function textOf(loops: readonly OverLoop[], days: number, wanted: boolean): string {
  const since = days === 0 ? "" : ` for ${days} days or more`;
  if (loops.length === 0) return `no loop has been completed${since}`;
  const lines = loops.map(
    ({ loop, since: at, lines: count }) => `  ${loop}  ${at.slice(0, 10)}  ${count} journal lines`,
  );
  const head = wanted ? `forgotten: ${loops.length}` : `completed${since}, and kept: ${loops.length}`;
  return [head, ...lines, ...(wanted ? [] : ["nothing was changed; `--yes` forgets them"])].join("\n");
}
