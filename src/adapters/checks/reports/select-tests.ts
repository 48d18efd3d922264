/**
 * The same command for some of its tests alone, where its report says which runner it starts (SPEC section 6). Whether those
 * and no others were run is seen in the report of that run, never assumed. Pure.
 */
import { SEPARATOR } from "../../../core/test-report.ts";

/** More are run with all the others. */
const MOST_TESTS = 40;
const LONGEST_PATTERN = 4_000;

/** By format of the report: the arguments that choose tests. @param names by their parts, from the file to the title */
const CHOOSE: Readonly<Record<string, (names: readonly (readonly string[])[]) => string | null>> = {
  node: byTitle,
  tap: byTitle,
  mocha: (names) => `--grep ${quoted(anyOf(names.map((parts) => parts.join(" "))))}`,
  jest: (names) => `-t ${quoted(anyOf(names.map(withoutFile)))}`,
  vitest: (names) => `-t ${quoted(anyOf(names.map(withoutFile)))}`,
  pytest: (names) => `-k ${quoted([...new Set(names.map(lastWord))].join(" or "))}`,
  go: (names) => `-run ${quoted(`^(${[...new Set(names.map(([, test = ""]) => test.split("/")[0]))].join("|")})$`)}`,
};

function byTitle(names: readonly (readonly string[])[]): string {
  return `--test-name-pattern=${quoted(anyOf(names.map((parts) => parts.at(-1) ?? "")))}`;
}

/** The runner's arguments go to the last program of a line, so there may be but one. */
export const SEVERAL = /[|&;<>()`$\n\\]/;
const NODE_TEST = /(?<=^|\s)--test(?=\s|$)/;
const SCRIPT = /^\s*npm (?:run(?:-script)? \S+|test|t)\b(?! --\s)[^'"]*$/;

/** Null: this command cannot be asked for those tests. @param platform quotes are those of a POSIX shell */
export function selecting(
  command: string,
  format: string,
  names: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string | null {
  const choose = CHOOSE[format];
  if (choose === undefined || platform === "win32" || SEVERAL.test(command)) return null;
  if (names.length === 0 || names.length > MOST_TESTS) return null;
  const given = choose(names.map((name) => name.split(SEPARATOR)));
  if (given === null || given.length > LONGEST_PATTERN) return null;
  // Node passes what follows a file to that file.
  if (choose === byTitle && NODE_TEST.test(command)) return command.replace(NODE_TEST, () => `--test ${given}`);
  return `${command} ${SCRIPT.test(command) && !/ -- /.test(command) ? "-- " : ""}${given}`;
}

/** Whether a runner that was asked for these tests may run that one as well: each goes by a part of the name. */
export function isSelected(name: string, names: readonly string[], format: string): boolean {
  const shown = name.replaceAll(SEPARATOR, " ");
  const asked = (parts: readonly string[]): string => {
    if (format === "pytest") return lastWord(parts);
    return (format === "go" ? parts[1]?.split("/")[0] : parts.at(-1)) ?? "";
  };
  return names.some((wanted) => shown.includes(asked(wanted.split(SEPARATOR))));
}

const FILE = /[\\/]|\.\w{1,4}$/;

function withoutFile(parts: readonly string[]): string {
  return (parts.length > 1 && FILE.test(parts[0] ?? "") ? parts.slice(1) : parts).join(" ");
}

/** A parametrized test is chosen by its function. */
function lastWord(parts: readonly string[]): string {
  return /^\w+/.exec(parts.at(-1) ?? "")?.[0] ?? "";
}

function anyOf(texts: readonly string[]): string {
  return [...new Set(texts)]
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(" ", "\\s+"))
    .join("|");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
