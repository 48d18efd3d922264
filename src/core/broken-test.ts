/** Which files hold a check's tests, and how such a file is made to fail (SPEC section 6). Pure. */
import { decides } from "./deciding-files.ts";
import { SEPARATOR } from "./test-report.ts";

/** What is appended, by the end of a file's name. */
const FAILS: readonly (readonly [RegExp, string])[] = [
  [/\.[cm]?[jt]sx?$/, ';throw new Error("this test cannot pass");'],
  [/\.coffee$/, 'throw new Error "this test cannot pass"'],
  [/\.py$/, 'raise RuntimeError("this test cannot pass")'],
  [/_test\.go$/, 'func TestThatCannotPass(t *testing.T) { t.Fatal("this test cannot pass") }'],
  [/\.rb$/, 'raise "this test cannot pass"'],
];

/** A program that ends itself never comes to the end of its file. */
const ENDS_ITSELF = /\b(?:process\.exit|sys\.exit|os\._exit|unittest\.main)\s*\(|^\s*(?:exit|quit)\(/m;

/** The text of a file with an error at its end; null: nothing is known of such files. */
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
