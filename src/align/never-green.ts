/**
 * Which red checks can only turn green by changing what decides them (SPEC section 6): a command that searches an existing test
 * file, or asks a runner for a test that none there bears. What a verdict runs has those files as they were agreed.
 *
 * NEVER-GREEN-1 a command whose red run names a failing test is not among them, nor one that looks at a file that decides nothing as well.
 */
import type { RedFirstLeaf, RedFirstReport } from "../adapters/checks/red-first.ts";
import { decides } from "../core/deciding-files.ts";
import { isLike, type CommandCheck } from "../core/test-report.ts";

/** Programs that do nothing but look at the files they are given. */
const LOOKS = /^(grep|egrep|fgrep|rg|ag|ack|test|\[|cat|head|tail|wc|sort|awk|sed)$/;
/** A runner is asked for tests by their title. */
const TITLE = /(?:^|\s)(?:-t|-k|-g|--grep|--test-?[nN]ame-?[pP]attern)(?:\s+|=)(?:"([^"]+)"|'([^']+)'|(\S+))|::(\w+)/;

/** @param read the text of a file of the project; null: there is none */
export function neverGreen(
  leaves: readonly RedFirstLeaf[],
  read: (path: string) => string | null,
): RedFirstReport["warnings"] {
  return leaves.flatMap(({ path, item, check, standing, result: { evidence } }) => {
    if (check.type !== "command" || standing !== "red" || evidence.kind !== "command") return [];
    if ((evidence.tests?.failing?.total ?? 0) > 0) return [];
    const file = lookedAt(check, read);
    if (file === null) return [];
    const message = `can only turn green by a change of ${file}, which counts as it was agreed: let it look at a new file, or allow that change (\`allow_changed: [${file}]\`, --allow-changed)`;
    return [{ path, item, message }];
  });
}

function lookedAt({ value, allow_changed = [] }: CommandCheck, read: (path: string) => string | null): string | null {
  for (const part of value.split(/&&|;|\n/)) {
    if (part.includes("||")) continue;
    const commands = part.split("|").map(wordsOf);
    const named = commands.flat().filter((word) => read(word) !== null);
    const [file] = named;
    const isAllowed = (path: string): boolean => allow_changed.some((glob) => isLike(path, glob));
    if (file === undefined || !named.every((path) => decides(path) !== null && !isAllowed(path))) continue;
    const isSearch = commands.every(([program = ""]) => LOOKS.test(program));
    const title = TITLE.exec(part)
      ?.slice(1)
      .find((one) => one !== undefined);
    if (isSearch || (title !== undefined && !named.some((path) => read(path)?.includes(title) === true))) return file;
  }
  return null;
}

/** Without quotes, variables and what says that it is to fail; `a.py::b` is the file. */
function wordsOf(command: string): readonly string[] {
  const words = command.trim().match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  const plain = words.map((word) =>
    word
      .replace(/^(["'])(.*)\1$/, "$2")
      .replace(/^\.\//, "")
      .replace(/::.*$/, ""),
  );
  const first = plain.findIndex((word) => word !== "!" && !/^\w+=/.test(word));
  return plain.slice(Math.max(0, first)).map((word, at) => (at === 0 ? (word.split("/").at(-1) ?? "") : word));
}
