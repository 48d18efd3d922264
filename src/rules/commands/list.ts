import { relative } from "node:path";
import { countFirings, type FiredCount } from "../fired.ts";
import { loadRules } from "../load.ts";
import type { RuleFile } from "../file.ts";
import { ruleFolders } from "../place.ts";
import { problemJson, problemText } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";

export const run: Run = async ({ io }) => {
  const folders = ruleFolders(io.cwd, io.env);
  const files = await loadRules(folders);
  const fired = new Map(folders.map((folder) => [folder.owner, countFirings(folder)]));
  const rules = files.flatMap((file) => rowOf(file, fired.get(file.owner)?.counts));
  const bad = files.filter(({ rule }) => rule === null);
  const unread = files.filter(({ rule, problems }) => rule !== null && problems.length > 0);
  const warned = files.filter(({ warnings }) => warnings.length > 0);
  const json = {
    success: true,
    rules,
    bad: bad.map(errorsOf),
    unread: unread.map(errorsOf),
    warnings: warned.flatMap(({ path, warnings }) => warnings.map((one) => problemJson(one, path))),
    since: [...fired.values()].flatMap(({ since }) => since ?? []).toSorted()[0] ?? null,
  };
  const said = (file: RuleFile): readonly string[] =>
    [...file.problems, ...file.warnings].map((one) => problemText(problemJson(one, shown(io.cwd, file.path))));
  const text = [
    ...(rules.length === 0 ? ["no rules hold here: `aot rules add` makes one"] : tableOf(rules)),
    ...(unread.length === 0
      ? []
      : ["", "cannot be read, so that all that they might forbid is denied:", ...unread.flatMap(said)]),
    ...(bad.length === 0 ? [] : ["", "not valid, so that they do not hold:", ...bad.flatMap(said)]),
    ...(warned.length === 0 ? [] : ["", "perhaps not as they were meant:", ...warned.flatMap(said)]),
  ];
  return { exit: 0, json, text: text.join("\n") };
};

function errorsOf({ path, problems }: RuleFile): object {
  return { file: path, errors: problems.map((one) => problemJson(one, path)) };
}

interface Row {
  readonly name: string;
  readonly standing: "enabled" | "shadow" | "disabled";
  readonly events: readonly string[];
  readonly action: string;
  readonly fired: number;
  /** Of them while it was in shadow. */
  readonly tried: number;
  readonly last: string | null;
  readonly overruled: number;
  readonly caught: FiredCount["caught"];
  readonly owner: RuleFile["owner"];
  readonly file: string;
}

function rowOf(
  { rule, owner, path, problems }: RuleFile,
  counts: ReturnType<typeof countFirings>["counts"] | undefined,
): readonly Row[] {
  if (rule === null || problems.length > 0) return [];
  const { times = 0, tried = 0, last = null, overruled = 0, caught = [] } = counts?.get(rule.name) ?? {};
  const standing = !rule.enabled ? "disabled" : rule.shadow ? "shadow" : "enabled";
  const { name, events, action } = rule;
  return [{ name, standing, events, action, fired: times, tried, last, overruled, caught, owner, file: path }];
}

/** Characters of what a rule caught last; `--json` tells more. */
const SHOWN = 50;

function tableOf(rows: readonly Row[]): readonly string[] {
  const cells = [
    ["rule", "standing", "event", "action", "fired", "overruled", "last", "of", "caught last"],
    ...rows.map(({ name, standing, events, action, fired, overruled, last, owner, caught }) => {
      const when = last === null ? "-" : last.slice(0, 16).replace("T", " ");
      const of = owner === "user" ? "your own" : "project";
      const what = (caught[0]?.what ?? "").slice(0, SHOWN);
      return [name, standing, events.join(","), action, String(fired), String(overruled), when, of, what];
    }),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function shown(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.length < path.length ? near : path;
}
