/**
 * The rules as they were read last: one line for each file, so that of a thousand rules a hook reads the few that its
 * action may be about. A line is `NAME \t KEY \t EVENTS \t FIELD \t NEEDS \t JSON`; NEEDS is what the field's text has to
 * hold for the rule to fire at all, see `needed-text.ts`.
 *
 * C1 it is no second truth: a line counts as long as its file looks as it did (KEY), or the mark says so for all of them;
 * C2 what it leaves out for an action could not have fired on it.
 */
import { readFileSync } from "node:fs";
import type { Problem } from "../core/problem.ts";
import type { Rule } from "../rules/rule.ts";
import type { Subject } from "../rules/subject.ts";
import { lacks, textFacts, type TextFacts } from "../rules/trial.ts";

export interface Kept {
  /** What the file looked like. */
  readonly key: string;
  /** Null: it is a bad one. */
  readonly rule: Rule | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Another one when what stands in a line means something else. */
const HEAD = "aot-rules 2";

/** @returns whether it stands there now */
export async function writeCache(path: string, kept: readonly (readonly [string, Kept])[]): Promise<boolean> {
  const { writeFileAtomicSync } = await import("../host/atomic-write.ts");
  const lines = kept.map(([name, one]) =>
    [JSON.stringify(name), one.key, ...indexOf(one.rule), JSON.stringify(one)].join("\t"),
  );
  return writeFileAtomicSync(path, `${[HEAD, ...lines].join("\n")}\n`, { durable: false }).ok;
}

export function readCache(path: string): ReadonlyMap<string, Kept> {
  const lines = linesOf(path) ?? [];
  try {
    return new Map(
      lines.map((line) => {
        const cells = line.split("\t");
        return [JSON.parse(cells[0] ?? "") as string, JSON.parse(cells.slice(5).join("\t")) as Kept];
      }),
    );
  } catch {
    // A damaged one: everything is read anew.
    return new Map();
  }
}

/** C2: the enabled rules that could fire on this action; null: there is no cache that can be read. */
export function readCandidates(path: string, subject: Subject): readonly Rule[] | null {
  const lines = linesOf(path);
  if (lines === null) return null;
  const facts = new Map<string, readonly TextFacts[]>();
  const texts = (field: string): readonly TextFacts[] => {
    const known = facts.get(field) ?? (subject.valuesOf(field) ?? []).map(textFacts);
    facts.set(field, known);
    return known;
  };
  try {
    return lines.flatMap((line) => {
      const [, , events = "", field = "", needs = "", ...json] = line.split("\t");
      if (!events.includes(`,${subject.event},`) && !events.includes(",all,")) return [];
      if (needs !== "") {
        const needed = needs.split("\u001f");
        if (texts(field).every((one) => lacks(needed, one))) return [];
      }
      return (JSON.parse(json.join("\t")) as Kept).rule ?? [];
    });
  } catch {
    return null;
  }
}

function linesOf(path: string): readonly string[] | null {
  try {
    const [head, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
    return head === HEAD ? lines : null;
  } catch {
    return null;
  }
}

/** EVENTS, FIELD and NEEDS. A rule that can never fire has no events. */
function indexOf(rule: Rule | null): readonly [string, string, string] {
  if (rule === null || !rule.enabled) return ["", "", ""];
  const events = `,${rule.events.join(",")},`;
  for (const { field, operator, patterns } of rule.conditions) {
    if (operator !== "regex_match" || /[\t\n]/.test(field)) continue;
    const needs = patterns.flatMap(({ needs: one }) => one ?? [""]);
    // An empty text is in every text; what separates here must not stand in one.
    if (needs.every((one) => one !== "" && !/[\t\n\u001f]/.test(one))) return [events, field, needs.join("\u001f")];
  }
  return [events, "", ""];
}
