/**
 * Reds that nobody waits for (SPEC section 6): while the first attempts work, checks that were red before it are run again at the
 * commit before the work. A verdict is bounded by them (core/luck.ts); one that passes there is flaky.
 *
 * SPARE-REDS-1 one at a time, FREE_REDS of each at most, none beside a verdict's, nor once a stop was asked for;
 * SPARE-REDS-2 only before the first verdict: later ones would say nothing of it. A crash loses them, and no rule.
 */
import { FREE_REDS } from "../core/luck.ts";
import type { Check } from "../core/state.ts";
import { answeredOn, remember, seenOf, type Answers } from "../core/tree-answers.ts";
import { checkNodesOf, leavesOf, runsCommand } from "../core/verdict.ts";
import { pause } from "./agent-call.ts";
import type { Before, EffectContext, SpareReds } from "./effect-context.ts";

/** An attempt that is over by then is not disturbed. */
const BEGINS_AFTER_MS = 2_000;

export function createSpareReds(): SpareReds {
  const over = new AbortController();
  let work: Promise<Before> | undefined;
  return {
    gather: async (context) => {
      await (work ??= gather(context, over.signal));
    },
    end: () => over.abort(),
    found: () => {
      over.abort();
      return work ?? Promise.resolve(undefined);
    },
  };
}

async function gather(context: EffectContext, signal: AbortSignal): Promise<Before> {
  const { settings, answers } = context.stateNow().run;
  const look: Look = { answers, signal, isWanted };
  if ((settings.trust ?? 0) === 0 || !isAnyWanted(context, look)) return undefined;
  await pause(context, BEGINS_AFTER_MS, signal);
  return await redsBefore(context, look);
}

/** It was run on one tree alone, and was red there each time. @param tree absent: whatever that is */
function isWanted(answers: Answers, check: Check, tree?: string): boolean {
  const { green, chances, wasted, reds } = seenOf(answers, check, tree);
  return runsCommand(check) && !green && chances === (tree === undefined ? 1 : 0) && wasted === 0 && reds < FREE_REDS;
}

interface Look {
  /** What is known. */
  readonly answers: Answers;
  readonly signal: AbortSignal;
  /** Asked before each run. @param tree absent: none was made yet */
  isWanted(answers: Answers, check: Check, tree?: string): boolean;
}

function isAnyWanted({ stateNow }: EffectContext, { answers, signal, isWanted: isIt }: Look): boolean {
  return !signal.aborted && leavesOf(stateNow().state.objective.base_case).some(({ check }) => isIt(answers, check));
}

/** Runs checks at the commit before the work, in rounds, as long as they are wanted. @param now the tree of the work */
export async function redsBefore(context: EffectContext, look: Look, now?: string): Promise<Before> {
  if (!isAnyWanted(context, look)) return undefined;
  const { ports, stateNow, send } = context;
  const { objective } = stateNow().state;
  const { tree, dir, env, failed, between, release } = await ports.workspace.checkout({
    signal: look.signal,
    aligned: true,
  });
  let before: Before;
  try {
    if (tree === undefined || tree === now || failed !== undefined) return undefined;
    let { answers } = look;
    for (let round = 0; round < FREE_REDS; round++)
      for (const { item, check } of leavesOf(objective.base_case)) {
        if (look.signal.aborted || !look.isWanted(answers, check, tree)) continue;
        const given = { env, objective, how: "again", why: "before_work" } as const;
        const { verdict } = await ports.verifier.verify({ checklist: [{ item, check }] }, dir, look.signal, given);
        await between?.();
        const isFlaky = !seenOf(answers, check).green && checkNodesOf(verdict.checklist)[0]?.passed === true;
        const message = `${item} failed before the work, and passes there now: no verdict can rest on it`;
        if (isFlaky) send({ event: "note", message });
        answers = remember(answers, tree, verdict);
        before = { tree, answers: answeredOn(answers, tree) };
      }
    return before;
  } finally {
    await release();
  }
}
