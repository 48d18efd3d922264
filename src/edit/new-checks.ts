/** Checks that a redirect adds are run red-first, as at alignment (SPEC sections 6 and 8). */
import { redFirst, type RedFirstReport } from "../adapters/checks/red-first.ts";
import { TRUST } from "../core/luck.ts";
import { baseCaseOf, changesOf, type Redirect } from "../core/redirect.ts";
import type { BaseCase } from "../core/state.ts";
import { leavesOf } from "../core/verdict.ts";

/** The checks of the redirect that the loop does not have; null: there are none. */
export function newChecksOf(before: BaseCase, redirect: Redirect): BaseCase | null {
  const known = new Set(leavesOf(before).map(({ check }) => JSON.stringify(check)));
  const checklist = changesOf(redirect).flatMap((change) => {
    const given = change.kind === "set" ? baseCaseOf(change.value) : null;
    const leaves = given === null ? [] : leavesOf(given);
    return leaves.flatMap(({ item, check }) => (known.has(JSON.stringify(check)) ? [] : [{ item, check }]));
  });
  return checklist.length === 0 ? null : { checklist };
}

export function runNewChecks(checks: BaseCase, dir: string, signal: AbortSignal): Promise<RedFirstReport> {
  return redFirst(checks, dir, { signal, trust: TRUST });
}
