/**
 * Which files decide what a test says: tests, and what configures or replaces their runner (SPEC section 6). The one table
 * of them. Pure.
 *
 * DECIDING-FILES-1 of a file that serves the program as well (`package.json`, `pyproject.toml`) only the parts count that
 *    decide how tests run; the rest is the work's.
 */
import { parseObject } from "./reading.ts";

export type Deciding = "test" | "configuration";

const TEST =
  /(^|\/)(tests?|specs?|__tests__|__mocks__|__snapshots__|fixtures|testdata)\/|[._-](tests?|specs?)\.\w+$|(^|\/)(tests?\.([cm]?[jt]sx?|coffee|py|rb|go|sh)|test_[^/]*)$/;

const CONFIGURATION = new RegExp(
  [
    // Python: also modules that stand in for a runner, or that every start of Python loads.
    String.raw`(conftest|noxfile|sitecustomize|usercustomize|pytest|unittest|nose)\.py|pytest\.ini|tox\.ini|\.coveragerc|[^/]*\.pth`,
    String.raw`_?pytest/.*|(tests?/(.*/)?)__init__\.py`,
    // JavaScript
    String.raw`\.mocharc[^/]*|mocha\.opts|\.(nyc|c8|tap|swc|babel|npm|yarn|jest)rc[^/]*|\.pnpmfile\.c?js|bunfig\.toml`,
    String.raw`(jest|vitest|vite|ava|playwright|cypress|web-test-runner|wdio|babel)\.(config|setup|workspace)\.\w+|karma\.conf\.\w+|\.env\.test`,
    String.raw`node_modules/.*`,
    // Others
    String.raw`phpunit\.xml[^/]*|\.rspec|\.config/nextest\.toml|\.cargo/config(\.toml)?`,
  ]
    .map((names) => `(^|/)(${names})$`)
    .join("|"),
);

/** Null: it decides nothing, or not as a whole (`isMixed`). */
export function decides(path: string): Deciding | null {
  if (CONFIGURATION.test(path)) return "configuration";
  return TEST.test(path) ? "test" : null;
}

/** The files among these that decide, in few words: a folder of tests, or a kind of name, as one glob. Sorted. */
export function decidingGlobs(paths: readonly string[]): readonly string[] {
  const globs = paths.flatMap((path) => {
    if (isMixed(path)) return [`of ${path}: how tests are run, not its dependencies`];
    if (decides(path) === null) return [];
    const folders = path.split("/").map((_, at, parts) => parts.slice(0, at).join("/"));
    const folder = folders.find((above) => above !== "" && decides(`${above}/x`) === "test");
    if (folder !== undefined) return [`${folder}/**`];
    const [suffix = ""] = /[._-][^._/-]+\.\w+$/.exec(path) ?? [];
    return [suffix !== "" && decides(`x${suffix}`) === "test" ? `**/*${suffix}` : path];
  });
  return [...new Set(globs)].toSorted();
}

const SECTIONED = /(^|\/)(pyproject\.toml|setup\.cfg)$/;
const MANIFEST = /(^|\/)package\.json$/;

/** DECIDING-FILES-1. */
export function isMixed(path: string): boolean {
  return SECTIONED.test(path) || MANIFEST.test(path);
}

/** A mixed file with the parts that decide as they were. Null: they are so. @param before null: it was not there */
export function partsAsBefore(path: string, now: string, before: string | null): string | null {
  const mixed = MANIFEST.test(path) ? manifest(now, before) : sections(now, before ?? "");
  return mixed === now ? null : mixed;
}

const RUNNERS = ["jest", "mocha", "ava", "vitest", "nyc", "c8", "tap", "babel", "wireit"];

function manifest(now: string, before: string | null): string {
  const [mine, theirs] = [parseObject(now), before === null ? {} : parseObject(before)];
  // What cannot be read by parts is put back as a whole.
  if (mine === null || theirs === null) return before ?? now;
  const merged: Record<string, unknown> = { ...mine };
  for (const key of RUNNERS) {
    if (theirs[key] === undefined) delete merged[key];
    else merged[key] = theirs[key];
  }
  const scripts = scriptsAsBefore(partOf(mine, "scripts"), partOf(theirs, "scripts"));
  if (Object.keys(scripts).length > 0 || mine["scripts"] !== undefined) merged["scripts"] = scripts;
  return canonical(merged) === canonical(mine) ? now : `${JSON.stringify(merged, null, 2)}\n`;
}

type Part = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Part {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** New scripts stay, unless one that was there starts them by its name. */
function scriptsAsBefore(now: Part, before: Part): Part {
  const added = Object.entries(now).filter(
    ([name]) => !(name in before) && !(/^(pre|post)/.test(name) && name.replace(/^(pre|post)/, "") in before),
  );
  return { ...Object.fromEntries(added), ...before };
}

function partOf(object: Part, key: string): Part {
  const part = object[key];
  return isObject(part) ? part : {};
}

/** Whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

const SECTION = /^(?=\[)/m;
const DECIDING_SECTION = /^\[+\s*(tool[.:]\s*)?(pytest|coverage|tox|nox|aliases|hatch\.envs|poe|taskipy)\b/;

function sections(now: string, before: string): string {
  const split = (text: string): readonly string[] => text.split(SECTION);
  const wanted = (text: string): readonly string[] => split(text).filter((part) => DECIDING_SECTION.test(part));
  const same = (parts: readonly string[]): string => parts.map((part) => part.trim()).join("\n");
  if (same(wanted(now)) === same(wanted(before))) return now;
  const kept = split(now).filter((part) => !DECIDING_SECTION.test(part));
  return [...kept, ...wanted(before)].map((part) => `${part.trimEnd()}\n`).join("\n");
}
