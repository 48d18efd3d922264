/** Which files a challenge breaks (SPEC section 6): those that the checks are about, as far as that can be seen. Pure. */
import { basename } from "node:path/posix";
import { decides } from "../../core/deciding-files.ts";
import { familyOf } from "./mutants.ts";

const CONFIGURATION = /(^|\/)\.|\.config\.\w+$/;

/** At most so many, where nothing but words relates them. */
const MOST_SUBJECTS = 10;

export function isSubject(path: string): boolean {
  return familyOf(path) !== null && decides(path) === null && !CONFIGURATION.test(path);
}

/**
 * The files that the goal, the checks and the tests they name speak of; where they speak of none, all.
 * @param files paths of the commit
 * @param words all that was said, the text of named tests included
 */
export function relatedTo(files: readonly string[], words: string): readonly string[] {
  const said = new Set(words.toLowerCase().match(/[\w-]+/g) ?? []);
  const subjects = files.filter(isSubject);
  const whole = subjects.filter((path) => words.includes(path));
  if (whole.length > 0) return whole.slice(0, MOST_SUBJECTS);
  const named = subjects.filter((path) => said.has(stemOf(path)));
  return (named.length > 0 ? named : subjects).slice(0, MOST_SUBJECTS);
}

function stemOf(path: string): string {
  return basename(path)
    .replace(/\.\w+$/, "")
    .toLowerCase();
}

/** The tests among the files that the checks' words name, whose own words say what they are about. */
export function testsNamed(files: readonly string[], words: string): readonly string[] {
  return files.filter((path) => decides(path) === "test" && words.includes(path)).slice(0, MOST_SUBJECTS);
}
