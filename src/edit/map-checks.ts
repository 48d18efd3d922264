/** Changes the checks of a base case, wherever they stand in it. */
import type { BaseCase, Check, ChecklistItem } from "../core/state.ts";

export function mapChecks(baseCase: BaseCase, change: (check: Check) => Check): BaseCase {
  const visit = (item: ChecklistItem): ChecklistItem => {
    if ("check" in item) return { ...item, check: change(item.check) };
    return "group" in item ? { ...item, group: item.group.map(visit) } : { ...item, any_of: item.any_of.map(visit) };
  };
  return "checklist" in baseCase ? { checklist: baseCase.checklist.map(visit) } : change(baseCase);
}

/** The base case where the work may change these files, whatever they decide. */
export function withAllowed(baseCase: BaseCase, glob: string): BaseCase {
  return mapChecks(baseCase, (check) => {
    if (check.type !== "command") return check;
    return { ...check, allow_changed: [...new Set([...(check.allow_changed ?? []), glob])] };
  });
}
