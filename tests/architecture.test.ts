/** The house's rules as tests: who may import whom, what is pure, what is not written here (ARCHITECTURE.md). */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { circlesOf, readSource, readSources, type SourceFile } from "./support/sources.ts";

/** Places, lowest first. A place may lie inside another one: a product's pure part. */
const RANKS: readonly (readonly string[])[] = [
  ["core"],
  ["statefile", "host", "phases/core", "rules/match", "rules/analyze"],
  ["verdict"],
  ["loop"],
  ["adapters"],
  ["project"],
  ["history"],
  ["view"],
  ["command"],
  ["terminal"],
  ["verify"],
  ["edit"],
  ["session"],
  ["align"],
  ["status"],
  ["run"],
  ["doctor"],
  ["dashboard"],
  ["rules", "phases"],
  ["engines"],
  ["extensions.ts"],
  ["commands.ts"],
  ["interfaces"],
];
/** What is on the loop, which knows nothing of it. */
const PRODUCTS = ["phases", "rules", "engines"];
/** The library's doors. */
const LIBRARY = ["index.ts", "engine.ts"];
const ISLANDS = ["adapters", "interfaces"];
/** What a module may import from outside `src/`; a module that is not named here may import anything. */
const OUTSIDE: Readonly<Record<string, RegExp>> = {
  core: /^$/,
  statefile: /^js-yaml$/,
  "rules/analyze": /^$/,
  "phases/core": /^$/,
  // `node:vm` is what ends a regular expression that takes too long.
  "rules/match": /^(js-yaml|re2js|node:vm|node:process)$/,
  host: /^node:/,
  verdict: /^$/,
  loop: /^node:(path|url)$/,
};
/** A module that imports less than its rank allows. */
const NOT_FROM: Readonly<Record<string, readonly string[]>> = { host: ["core", "statefile"] };
const PURE = ["core", "verdict", "statefile", "phases/core", "rules/match", "rules/analyze"];
const IMPURE =
  /^(process|console|performance|setTimeout|setInterval|setImmediate|queueMicrotask|fetch|Date\.now|new Date|Math\.random|crypto)$/;
const LONGEST = 400;
/** Longer files, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {};

/**
 * Lines of each room at most: whoever makes a room smaller lowers its number, so that it is never SLACK lines too high. A room
 * grows only where the same change makes the whole smaller, by what goes in others. Every source file is in one room.
 */
const ROOMS: readonly (readonly [room: string, most: number, places: readonly string[]])[] = [
  ["core", 9516, ["core"]],
  ["state text", 3117, ["statefile"]],
  ["host", 2572, ["host"]],
  ["loop", 4454, ["loop"]],
  ["line", 7380, ["adapters/workspace"]],
  ["verdict", 4018, ["adapters/checks", "verdict", "verify"]],
  ["sandbox", 2211, ["adapters/confinement"]],
  ["agents, judge", 2681, ["adapters/agents", "adapters/judge"]],
  ["store, project, history", 4092, ["adapters/store", "project", "history"]],
  ["driver", 4569, ["run", "session"]],
  ["commands", 5777, ["align", "command", "commands.ts", "doctor", "edit", "extensions.ts", "status"]],
  ["view, terminal, page", 7011, ["view", "terminal", "dashboard"]],
  ["interfaces", 4588, ["interfaces"]],
  ["phases", 5848, ["phases"]],
  ["rules", 5244, ["rules"]],
  ["engine", 3871, ["engines"]],
  ["doors", 251, ["aot.ts", "bin.ts", "engine.ts", "index.ts"]],
];
/** Lines of `tests/`, with its fixtures' programs. */
const MOST_TESTS = 65747;
const SLACK = 100;

const files = readSources(process.cwd());
const RANKED = RANKS.flatMap((names, rank) => names.map((name) => [name, rank] as const));
/** The innermost place that a file lies in. */
function moduleOf(path: string): string {
  const below = path.replace(/^src\//, "");
  const places = RANKED.map(([name]) => name).filter((name) => below === name || below.startsWith(`${name}/`));
  return places.toSorted((a, b) => b.length - a.length)[0] ?? below;
}
const islandOf = (path: string): string => path.split("/").slice(0, 3).join("/");

/** Why a file may not import that; null: it may. */
function breach(file: SourceFile, imported: string): string | null {
  const [from, to] = [moduleOf(file.path), moduleOf(imported)];
  if (!imported.startsWith("src/")) return (OUTSIDE[from] ?? /./).test(imported) ? null : "is not for this module";
  if (from === "bin.ts" || from === "aot.ts") return null;
  if (to === "bin.ts" || to === "aot.ts" || LIBRARY.includes(to)) return "is a door: nothing inside imports it";
  if (LIBRARY.includes(from))
    return to === "interfaces" || to === "commands.ts" ? "only bin.ts and aot.ts see the interfaces" : null;
  if (NOT_FROM[from]?.includes(to) === true) return "is not for this module";
  const product = PRODUCTS.find((name) => to === name || to.startsWith(`${name}/`));
  if (product !== undefined && !from.startsWith(product) && rankOf(from) < rankOf(product))
    return "is a product on the loop, which does not know it";
  if (ISLANDS.includes(from) && from === to)
    return islandOf(file.path) === islandOf(imported) ? null : "islands do not see each other";
  return from === to || rankOf(to) < rankOf(from) ? null : "is higher or beside";
}

function rankOf(place: string): number {
  const rank = RANKED.find(([name]) => name === place)?.[1];
  if (rank === undefined) throw new Error(`src/${place} has no rank: give it one here and in ARCHITECTURE.md`);
  return rank;
}

const breaches = files.flatMap((file) =>
  file.imports.flatMap((imported) => {
    const why = breach(file, imported);
    return why === null ? [] : [`${file.path} imports ${imported}: ${why}`];
  }),
);

test("ranks: a file imports its own module or a lower rank, and islands do not see each other", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(breaches).toEqual([]);
});

test("no circles: not even among types", () => {
  expect(circlesOf(files)).toEqual([]);
});

test("purity: in core, statefile and the pure parts of the products the world arrives as a parameter", () => {
  const seen = files
    .filter((file) => PURE.includes(moduleOf(file.path)))
    .flatMap((file) => [...file.names].filter((name) => IMPURE.test(name)).map((name) => `${file.path}: ${name}`));
  expect(seen).toEqual([]);
});

test("types: no any, no non-null assertion, no enum, no namespace", () => {
  const BANNED = ["TSAnyKeyword", "TSNonNullExpression", "TSEnumDeclaration", "TSModuleDeclaration"];
  const seen = files.flatMap((file) => BANNED.filter((kind) => file.kinds.has(kind)).map((kind) => [file.path, kind]));
  expect(seen).toEqual([]);
});

test(`size: no file is longer than ${LONGEST} lines, but for those that say why`, () => {
  const long = files.filter((file) => file.lines > LONGEST).map((file) => file.path);
  expect(long).toEqual(Object.keys(LONG_FILES));
});

test("budgets: no room is larger than its number, and no number is higher than it has to be", () => {
  const isIn = (path: string, places: readonly string[]): boolean =>
    places.some((place) => path === `src/${place}` || path.startsWith(`src/${place}/`));
  const lines = (room: readonly SourceFile[]): number => room.reduce((sum, file) => sum + file.lines, 0);
  const tests = globSync("tests/**/*.{ts,mjs}").map((path) => readFileSync(path, "utf8").split("\n").length - 1);
  const counted = [
    ...ROOMS.map(
      ([room, most, places]) => [room, most, lines(files.filter(({ path }) => isIn(path, places)))] as const,
    ),
    ["tests", MOST_TESTS, tests.reduce((sum, one) => sum + one, 0)] as const,
  ];
  const wrong = counted.filter(([, most, now]) => now > most || now <= most - SLACK);
  expect(wrong.map(([room, most, now]) => `${room} has ${now} lines, its budget is ${most}`)).toEqual([]);
  const homes = files.map(({ path }) => [path, ROOMS.filter(([, , places]) => isIn(path, places)).length]);
  expect(homes.filter(([, rooms]) => rooms !== 1)).toEqual([]);
});

test("comments name only source files that exist", () => {
  const sources = execFileSync("git", ["ls-files"], { encoding: "utf8", timeout: 30_000 }).split("\n");
  const isThere = (name: string): boolean => sources.some((path) => path === name || path.endsWith(`/${name}`));
  const gone = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm)].flatMap(([comment]) =>
      [...comment.matchAll(/\w[\w./-]*\.tsx?\b/g)].flatMap(([name]) => (isThere(name) ? [] : `${path}: ${name}`)),
    ),
  );
  expect(gone).toEqual([]);
});

test("the repository holds nothing that is ignored, and no link: a checkout would take the place of what is there", () => {
  const listed = (...args: readonly string[]): string[] =>
    execFileSync("git", ["ls-files", ...args], { encoding: "utf8", timeout: 30_000 }).split("\n");
  expect(listed("--cached", "--ignored", "--exclude-standard").filter((path) => path !== "")).toEqual([]);
  expect(listed("--stage").filter((line) => line.startsWith("120000"))).toEqual([]);
});

test("the rules see what they forbid", () => {
  const bad = readSource(
    "src/core/bad.ts",
    `import type { A } from "../loop/ports.ts"; export * from "node:fs"; type B = import("../host/lock.ts").B;
     const c: any = (await import("../run/run.ts")).x!; enum D { E } setTimeout(() => new Date(Date.now() + Math.random()));
     const { f } = { f: process.env }; const g = { console: 1 }.console;`,
  );
  expect(bad.imports.flatMap((imported) => breach(bad, imported) ?? [])).toHaveLength(4);
  expect([...bad.names].filter((name) => IMPURE.test(name)).sort()).toEqual([
    "Date.now",
    "Math.random",
    "new Date",
    "process",
    "setTimeout",
  ]);
  expect([...bad.kinds]).toEqual(expect.arrayContaining(["TSAnyKeyword", "TSNonNullExpression", "TSEnumDeclaration"]));
  expect(circlesOf([readSource("src/a.ts", 'import "./b.ts"'), readSource("src/b.ts", 'import "./a.ts"')])).toEqual([
    "src/a.ts -> src/b.ts -> src/a.ts",
  ]);
});
