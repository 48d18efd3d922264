/**
 * Which files decide a check (SPEC section 6): by what they are, whatever the language. They count as they were agreed. Pure.
 *
 * AGREED-FORM-1 a test lies on a test path, or is code that names a test library and that no program imports;
 * AGREED-FORM-2 configuration is what tools read by convention and no program imports. Of a manifest what the package is and needs
 *    is the work's, the rest decides;
 * AGREED-FORM-3 data decides that a test or the check's command names, and no program; in the project's folder also what bears the
 *    name of a program that the command, or a script of the package, starts (`biome.json`);
 * AGREED-FORM-4 of a source file that holds its own tests these decide.
 */
import { parseObject } from "../core/reading.ts";

export type Deciding = "test" | "configuration" | "data";

const TEST_PATH =
  /(^|\/)(tests?|specs?|__tests__|__mocks__|__snapshots__|fixtures|testdata)\/|[._-](tests?|specs?)\.\w+$|(^|\/)(tests?\.([cm]?[jt]sx?|coffee|py|rb|go|sh)|test_[^/]*)$/;

/** For git, too: an extended regular expression. */
export const TEST_LIBRARY = [
  String.raw`node:(test|assert)|(from|import|require)[[:space:](]*["'](assert|tape|ava|tap|chai|mocha|uvu|vitest|bun:test|@jest/globals|@playwright/test)["'/]`,
  String.raw`(^|[^.[:alnum:]_])(describe|it)(\.[a-z]+)?\(([^[:alnum:])]|.*(=>|function))|expect\(.*\)\.(not|to|re[sj])|(^|[[:space:]])(unittest|pytest|doctest|nose)([.[:space:]]|$)`,
  String.raw`"testing"|testify|gomega|#\[([a-z_]+::)?test\]|^ *(use|require|include|class) .*Test::[A-Z]|minitest|rspec|RSpec|test/unit|junit|kotest|scalatest|XCTest|NUnit|Xunit|PHPUnit`,
  String.raw`gtest|catch2|cmocka|^@test |busted|shunit|ExUnit|Hspec`,
].join("|");

const NAMES_LIBRARY = new RegExp(
  TEST_LIBRARY.replaceAll("[:alnum:]", "A-Za-z0-9").replaceAll("[:space:]", String.raw`\s`),
  "m",
);

export function namesTestLibrary(text: string): boolean {
  return NAMES_LIBRARY.test(text);
}

/** What tools look for by its name. */
const CONVENTION = new RegExp(
  [
    // Dotfiles, and what lies in folders that are hidden.
    String.raw`\.[^/]+(/.*)?|node_modules/.*`,
    String.raw`[^/]*\.(ini|cfg|toml|opts|pth)|[^/]*[._-](config|conf|setup|workspace)\.\w+|[jt]sconfig[^/]*\.json|phpunit\.xml[^/]*`,
    // Python loads these by itself.
    String.raw`(conftest|noxfile|sitecustomize|usercustomize)\.py|(tests?/(.*/)?)__init__\.py`,
  ]
    .map((names) => `(^|/)(${names})$`)
    .join("|"),
);

const DOCUMENT =
  /\.(md|mdx|rst|adoc|markdown)$|(^|\/)(licen[cs]e|changelog|changes|readme|authors|notice|copying)[^/]*$/i;
const DATA =
  /\.(jsonl?|json5|ya?ml|csv|tsv|txt|xml|html?|sql|dat|bin|snap|golden|expected|out|in|svg|png|gz|lock|sum|neon|properties)$/i;

export function isDocument(path: string): boolean {
  return DOCUMENT.test(path);
}

export function isCode(path: string): boolean {
  return /\.\w+$/.test(path) && !DATA.test(path) && !isDocument(path);
}

/** By its path alone. Null: it decides nothing, or not as a whole (`isMixed`). */
export function decides(path: string): "test" | "configuration" | null {
  if (isMixed(path)) return null;
  if (CONVENTION.test(path)) return "configuration";
  return TEST_PATH.test(path) ? "test" : null;
}

/** Whether a file is the program's: it is no test, no document, and configures nothing. @param library names a test library */
export function isProgram(path: string, library: boolean): boolean {
  return !library && !isDocument(path) && (decides(path) === null || isMixed(path));
}

/** The word by which other files name one: its stem, of an index its folder, of data its whole name. */
export function nameOf(path: string): string {
  const parts = path.split("/");
  const file = parts.at(-1) ?? "";
  if (!isCode(path)) return file;
  const stem = file.replace(/\.\w+$/, "");
  return /^(index|__init__|mod|main)$/.test(stem) ? (parts.at(-2) ?? stem) : stem;
}

/** The files among these that decide by their paths, in few words: a folder of tests, or a kind of name, as one glob. Sorted. */
export function decidingGlobs(paths: readonly string[]): readonly string[] {
  const globs = paths.flatMap((path) => {
    if (isMixed(path)) return [`of ${path}: how tests are run (its dependencies may change)`];
    if (decides(path) === null) return [];
    const folders = path.split("/").map((_, at, parts) => parts.slice(0, at).join("/"));
    const hidden = folders.find((above) => /(^|\/)\.[^/]+$/.test(above));
    const folder = hidden ?? folders.find((above) => above !== "" && decides(`${above}/x`) === "test");
    if (folder !== undefined) return [`${folder}/**`];
    const [suffix = ""] = /[._-][^._/-]+\.\w+$/.exec(path) ?? [];
    return [suffix !== "" && decides(`x${suffix}`) === "test" ? `**/*${suffix}` : path];
  });
  return [...new Set(globs)].toSorted();
}

const SECTIONED = /(^|\/)(pyproject\.toml|Cargo\.toml|setup\.cfg)$/;
const MANIFEST = /(^|\/)package\.json$/;

/** AGREED-FORM-2. */
export function isMixed(path: string): boolean {
  return SECTIONED.test(path) || MANIFEST.test(path);
}

/** A mixed file with the parts that decide as they were. Null: they are so. @param before null: it was not there */
export function partsAsBefore(path: string, now: string, before: string | null): string | null {
  const mixed = MANIFEST.test(path) ? manifest(now, before) : sections(now, before ?? "");
  return mixed === now ? null : mixed;
}

/** What a package is and needs; every other key says how something is run. */
const OF_THE_WORK =
  /^(name|version|description|keywords|homepage|bugs|license|author|contributors|funding|files|main|module|browser|types|typings|exports|type|bin|man|directories|repository|engines|os|cpu|private|sideEffects|publishConfig|packageManager|\w*[dD]ependencies\w*|overrides|resolutions)$/;

function manifest(now: string, before: string | null): string {
  const [mine, theirs] = [parseObject(now), before === null ? {} : parseObject(before)];
  // What cannot be read by parts is put back as a whole.
  if (mine === null || theirs === null) return before ?? now;
  const isWork = ([key]: readonly [string, unknown]): boolean => OF_THE_WORK.test(key);
  const kept = Object.entries(mine).filter(isWork);
  const agreed = Object.entries(theirs).filter((entry) => !isWork(entry));
  const merged: Record<string, unknown> = Object.fromEntries([...kept, ...agreed]);
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
/** As `OF_THE_WORK`. */
const WORK_SECTION =
  /^\[+\s*(project|package|build-system|dependency-groups|metadata|options|features|bin|lib|target|workspace|[\w-]*dependencies|tool\.(poetry|uv|pdm|setuptools|flit|maturin|hatch\.(build|version|metadata)))\b/;

function sections(now: string, before: string): string {
  const split = (text: string): readonly string[] => text.split(SECTION);
  const decidingOf = (text: string): readonly string[] =>
    split(text).filter((part) => part.startsWith("[") && !WORK_SECTION.test(part));
  const same = (parts: readonly string[]): string => parts.map((part) => part.trim()).join("\n");
  const [mine, theirs] = [decidingOf(now), decidingOf(before)];
  if (same(mine) === same(theirs)) return now;
  const kept = split(now).filter((part) => !mine.includes(part));
  return [...kept, ...theirs].map((part) => `${part.trimEnd()}\n`).join("\n");
}

/** Where a source file's own tests begin; a block follows. For git, too. */
export const OWN_TESTS = String.raw`#\[cfg\(test\)\]|if \(import\.meta\.vitest\)`;
const OWN_TEST = new RegExp(OWN_TESTS, "g");

/** AGREED-FORM-4: a source file with its own tests as they were. Null: they are so, or there are none. */
export function ownTestsAsBefore(now: string, before: string): string | null {
  const [mine, theirs] = [ownTestsOf(now), ownTestsOf(before)];
  if (mine.tests.join("\n") === theirs.tests.join("\n")) return null;
  return `${mine.rest.trimEnd()}\n\n${theirs.tests.join("\n")}\n`;
}

/** The blocks that are tests, and the text without them. */
function ownTestsOf(text: string): { readonly tests: readonly string[]; readonly rest: string } {
  const tests: string[] = [];
  let [rest, from] = ["", 0];
  for (const { index } of text.matchAll(OWN_TEST)) {
    const to = index < from ? null : blockEnd(text, index);
    if (to === null) continue;
    tests.push(text.slice(index, to));
    rest += text.slice(from, index);
    from = to;
  }
  return { tests, rest: rest + text.slice(from) };
}

/** Behind the block that opens first; braces in texts and comments are none. */
function blockEnd(text: string, from: number): number | null {
  let depth = 0;
  for (const { 0: part, index } of text.slice(from).matchAll(/"(?:\\.|[^"\\])*"|\/\/.*|'\\?.'|[{}]/g)) {
    if (part === "{") depth++;
    if (part === "}" && --depth === 0) return from + index + 1;
  }
  return null;
}

const IMPORT = /^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w.]+)|require\s+["']([\w./-]+)["']|use\s+([\w:]+))/gm;

/** Modules that a test asks for by names that a file may stand in for: `minitest/autorun`, `pytest`. */
export function modulesOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, ...names]) =>
    (names.find((name) => name !== undefined) ?? "").replaceAll(/\.|::/g, "/"),
  );
}

/** Whether a file is found by that name; a folder by its `__init__`. */
export function bearsModule(path: string, module: string): boolean {
  const bare = path.replace(/(\/__init__)?\.\w+$/, "");
  return (
    bare === module ||
    bare.endsWith(`/${module}`) ||
    `${bare}/`.includes(`/${module}/`) ||
    bare.startsWith(`${module}/`)
  );
}
