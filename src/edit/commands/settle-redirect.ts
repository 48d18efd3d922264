/** A redirect that was understood: what it costs is said (and asked, at a terminal), new checks are run, then it is made (SPEC section 8). */
import { redFirst } from "../../adapters/checks/red-first.ts";
import { TRUST } from "../../core/luck.ts";
import { itemIn } from "../../core/persons-word.ts";
import { baseCaseOf, changesOf, type Change, type Redirect } from "../../core/redirect.ts";
import type { BaseCase, Check } from "../../core/state.ts";
import { leavesOf } from "../../core/verdict.ts";
import { failure } from "../../command/problem-text.ts";
import type { Call } from "../../command/call.ts";
import type { Answer, Elsewhere } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import type { Engines } from "../../history/extensions.ts";
import { isoNow } from "../../host/clock.ts";
import { agentRefusal } from "../../project/agent-restrictions.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { askYes, canAsk, needsPerson } from "../../terminal/ask-yes.ts";
import { painterFor } from "../../terminal/paint.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import { redFirstLines } from "../../terminal/red-first-text.ts";
import { changeLines, endedLines, previewRedirect, type RedirectPreview } from "../preview-redirect.ts";
import { redirectLoop } from "../redirect-loop.ts";

/** Who makes redirects: engines may work the loop, and `--loop` may name one elsewhere. */
export interface Hands {
  readonly engines: Engines;
  readonly elsewhere: Elsewhere<Redirect>;
}

/** @param show the change, and ask whatever it costs */
export async function settleRedirect(call: Call, asked: Redirect, hands: Hands, show = false): Promise<Answer> {
  const redirect: Redirect = call.isSet("finish")
    ? { kind: "transaction", changes: changesOf(asked), reason: asked.reason, finish: true }
    : asked;
  const taken = await hands.elsewhere.take(call, redirect);
  if (taken !== null) return taken;
  const file = stateFileOf(call);
  const agent = agentRefusal(file.path);
  if (agent !== null) return failure(agent.problems);
  const preview = await previewRedirect(file.path, redirect);
  if (!preview.ok) return failure(preview.problems, file.shown);
  if (show) call.io.err(`${changeLines(preview.value.changes).join("\n")}\n`);
  const baseCase = preview.value.before.objective.base_case;
  const refusal =
    (await wordRefused(call, redirect, baseCase)) ??
    (await checksRefused(call, redirect, preview.value)) ??
    (await costRefused(call, preview.value, show));
  if (refusal !== null) return refusal;
  const done = await redirectLoop(file.path, withNames(redirect, baseCase), hands.engines);
  if (!done.ok) return failure(done.problems, file.shown);
  const { description, via, revert, notes } = done.value;
  return { exit: 0, json: { success: true, description, via, revert, notes }, text: description, notes };
}

/**
 * That an item holds is asked once more, showing it. Null: nothing is confirmed, or a person says so.
 * @param baseCase null: not known here
 */
export async function wordRefused(call: Call, redirect: Redirect, baseCase: BaseCase | null): Promise<Answer | null> {
  const shown = changesOf(redirect).flatMap((change) => {
    if (change.kind !== "confirm") return [];
    const found = baseCase === null ? null : itemIn(baseCase, change.item);
    return [found?.ok === true ? found.value.shown : JSON.stringify(change.item)];
  });
  if (shown.length === 0 || call.isSet("yes")) return null;
  await needsPerson(call, "look at the work, then say that it holds with --yes");
  return (await askYes(`Confirm that it holds: ${shown.join(", ")}?`)) ? null : UNCHANGED;
}

/** What was asked about is what is said, whatever becomes of the base case meanwhile. */
function withNames(redirect: Redirect, baseCase: BaseCase): Redirect {
  const named = (change: Change): Change => {
    if (change.kind !== "confirm" && change.kind !== "reject") return change;
    const found = itemIn(baseCase, change.item);
    return found.ok ? { ...change, item: found.value.item } : change;
  };
  return redirect.kind === "transaction" ? { ...redirect, changes: redirect.changes.map(named) } : named(redirect);
}

const UNCHANGED: Answer = { exit: 1, json: {}, text: "", trouble: "nothing was changed" };

/** Null: no new check is broken. */
async function checksRefused(call: Call, redirect: Redirect, { before }: RedirectPreview): Promise<Answer | null> {
  const checks = newChecksOf(before.objective.base_case, redirect);
  if (checks === null) return null;
  const dir = projectOf(stateFileOf(call).path);
  const report = await whileWaiting(call.io, (signal, tell) => redFirst(checks, dir, { signal, tell, trust: TRUST }));
  call.io.err(`new checks, in ${dir}:\n${redFirstLines(report, await painterFor(call.io)).join("\n")}\n`);
  const broken = report.leaves.filter(({ standing }) => standing === "broken" || standing === "flaky");
  if (broken.length === 0 || call.isSet("force")) return null;
  return failure(
    broken.map(({ item, why }) => ({
      code: "refused",
      message: `the check ${JSON.stringify(item)} ${why.replace(", align with --force", ", say --force")}`,
      hint: "nothing was changed; repair the check, or take it as it is with --force",
    })),
  );
}

/** The checks of the redirect that the loop does not have; null: there are none. */
function newChecksOf(before: BaseCase, redirect: Redirect): BaseCase | null {
  const keyOf = (check: Check): string => JSON.stringify({ ...check, allow_changed: undefined });
  const known = new Set(leavesOf(before).map(({ check }) => keyOf(check)));
  const checklist = changesOf(redirect).flatMap((change) => {
    const given = change.kind === "set" ? baseCaseOf(change.value) : null;
    const leaves = given === null ? [] : leavesOf(given);
    return leaves.flatMap(({ item, check }) => (known.has(keyOf(check)) ? [] : [{ item, check }]));
  });
  return checklist.length === 0 ? null : { checklist };
}

/** Null: nothing ends by it, or whoever asked for it agrees. */
async function costRefused(call: Call, { ended }: RedirectPreview, show: boolean): Promise<Answer | null> {
  const finish = call.isSet("finish");
  if (ended.length === 0 && !show) return null;
  const lines = endedLines(ended, Date.parse(isoNow()));
  if (lines.length > 0)
    call.io.err(
      `${finish ? "waits until these end" : "this ends, and discards what they did"}:\n  ${lines.join("\n  ")}\n`,
    );
  if ((finish && !show) || call.isSet("yes") || !(await canAsk(call))) return null;
  if (await askYes(ended.length === 0 || finish ? "Make this change?" : "End them, and make this change?")) return null;
  return ended.length === 0
    ? UNCHANGED
    : { ...UNCHANGED, trouble: "nothing was changed; --finish lets them end first" };
}
