/** Which files hold a check's tests, and how such a file is made to fail (SPEC section 6). Pure. */
import { decides } from "./deciding-files.ts";
import { SEPARATOR, type UnreadRun } from "./test-report.ts";

/**
 * What is appended, by the end of a file's name. Where a runner calls something when the file's tests have run, that fails, since a
 * program may be loaded by a test only; else the file itself. It is valid for type checkers and old parsers, too.
 */
const FAILS: readonly (readonly [RegExp, string])[] = [
  [
    /\.[cm]?[jt]sx?$/,
    `;{ const last = Reflect.get(globalThis, "after") || Reflect.get(globalThis, "afterAll");
if (typeof last === "function") last(() => Reflect.get(globalThis, "process").exit(97));
else throw new Error("this test cannot pass"); }`,
  ],
  [
    /\.coffee$/,
    `if typeof after is 'function' then after(-> process.exit 97) else throw new Error "this test cannot pass"`,
  ],
  [
    /\.py$/,
    `import os as _os
if not _os.environ.get("PYTEST_VERSION"):
    raise RuntimeError("this test cannot pass")
def tearDownModule():
    _os._exit(97)`,
  ],
  [/_test\.go$/, 'func TestThatCannotPass(t *testing.T) { t.Fatal("this test cannot pass") }'],
  [/\.rb$/, 'raise "this test cannot pass"'],
];

/** A program that ends itself never comes to the end of its file. */
const ENDS_ITSELF = /\b(?:process\.exit|sys\.exit|os\._exit|unittest\.main)\s*\(|^\s*(?:exit|quit)\(/m;

/** The text of a file whose tests cannot pass any more; null: nothing is known of such files. */
export function brokenText(path: string, text: string | null): string | null {
  const fails = FAILS.find(([ends]) => ends.test(path))?.[1];
  if (fails === undefined || text === null || ENDS_ITSELF.test(text)) return null;
  return `${text}\n${fails}\n`;
}

interface Files {
  readonly all: readonly string[];
  now(path: string): string | null;
}

/** More are looked through for no name. */
const MOST_READ = 2_000;
const MOST_FILES = 40;

/** How runners without a report that can be read name a file whose tests they ran, and the stack of a test that failed. */
const RAN =
  /^\s*(FAIL|PASS|❯|×|✗)\s+(?:\S+\s+)?(\S+\.[cm]?[jt]sx?)(?=\s|$)|^\s*at .*?([^\s(]+\.[cm]?[jt]sx?):\d+:\d+\)?$/gm;

/** The files that the output of a run names as tests, and as failed, as it writes them: their paths may begin elsewhere. */
export function testFilesIn(output: string): Required<Pick<UnreadRun, "files" | "failing">> {
  const named = [...output.matchAll(RAN)].flatMap(([, word, file, place = ""]) => {
    const path = file ?? place;
    return decides(path) === "test" ? [{ path, failed: word !== "PASS" }] : [];
  });
  const pathsOf = (some: typeof named): readonly string[] =>
    [...new Set(some.map(({ path }) => path))].slice(0, MOST_FILES);
  return { files: pathsOf(named), failing: pathsOf(named.filter(({ failed }) => failed)) };
}

/** Of named files those that are here. */
export function testFilesHere(named: readonly string[], { all }: Pick<Files, "all">): readonly string[] {
  const known = new Set(all);
  const here = named.flatMap((path) => {
    const parts = path.split("/");
    return parts.map((_, at) => parts.slice(at).join("/")).find((end) => known.has(end)) ?? [];
  });
  return [...new Set(here)].filter((path) => decides(path) === "test");
}

/**
 * The test files that a check runs, as far as that can be seen: those that its tests' names begin with, else that hold the
 * titles, else that its command names.
 * @param tests names of tests that failed before the work
 */
export function testFiles(command: string, tests: readonly string[], files: Files): readonly string[] {
  const known = new Set(files.all);
  const parts = tests.map((name) => name.split(SEPARATOR));
  const byName = parts.flatMap(([first = ""]) => (known.has(first) ? [first] : []));
  const candidates = files.all.filter((path) => decides(path) === "test" && !path.includes("node_modules/"));
  const isNamed = (path: string): boolean => words.has(path) || words.has(`./${path}`);
  const words = new Set(command.split(/[\s'"=]+/));
  const byCommand = files.all.filter((path) => isNamed(path) && decides(path) === "test");
  const titles = parts.map((all) => all.at(-1) ?? "").filter((title) => title.length > 3);
  const holding = byName.length > 0 || byCommand.length > 0 ? [] : candidates.slice(0, MOST_READ);
  const byTitle = holding.filter((path) => {
    const text = files.now(path);
    return text !== null && titles.some((title) => text.includes(title));
  });
  return [...new Set(byName.length > 0 ? byName : byCommand.length > 0 ? byCommand : byTitle)].slice(0, MOST_FILES);
}
