/**
 * Whether a check that fails in two places fails there for one reason (SPEC section 6). Pure.
 *
 * SAME-REASON-1 where tests have names they are the reason: what fails there fails here, too;
 * SAME-REASON-2 else it is in the lines that say what is wrong: one that no run here printed, in the place of one that every run
 *    here printed. What varies (times, counts, paths, addresses, what differs from run to run) is none.
 */
import type { Named } from "../core/test-report.ts";
import type { Evidence, LeafResult } from "../core/verdict.ts";

/**
 * @param here every run there was, one or more
 * @param roots the folders, as the programs saw them
 */
export function isSameReason(
  here: readonly LeafResult[],
  { evidence: there }: LeafResult,
  roots: readonly string[],
): boolean {
  const mine = here.map(({ evidence }) => evidence).filter((evidence) => evidence.kind === "command");
  const [first] = mine;
  if (first === undefined || there.kind !== "command") return true;
  const named = namesOf(there);
  const known = mine.flatMap((evidence) => namesOf(evidence)?.names.map(plain) ?? []);
  if (named !== null && known.length > 0) {
    const most = Math.max(...mine.map((evidence) => namesOf(evidence)?.total ?? 0));
    return (
      named.total <= most &&
      (named.total > named.names.length || named.names.every((one) => known.includes(plain(one))))
    );
  }
  const [lines, runs] = [linesOf(there, roots), mine.map((evidence) => linesOf(evidence, roots))];
  if (lines.length === 0 && runs.every((one) => one.length === 0)) return there.exit_code === first.exit_code;
  return isSameText(runs, lines);
}

type CommandEvidence = Extract<Evidence, { readonly kind: "command" }>;

/** Null: none that failed has a name. */
function namesOf({ tests }: CommandEvidence): Named | null {
  return tests?.failing ?? null;
}

function isSameText(runs: readonly (readonly string[])[], there: readonly string[]): boolean {
  const [first = []] = runs;
  const stable = telling(first).filter((line) => runs.every((run) => run.includes(line)));
  const gone = stable.filter((line) => !there.includes(line));
  const last = telling(there);
  const fresh = last.filter((line) => !runs.some((run) => run.includes(line)));
  if (gone.length === 0) return first.length > 0 || fresh.length === 0;
  if (fresh.length === 0) return gone.at(-1) !== stable.at(-1);
  // One run does not show what varies.
  return runs.length === 1 && fresh.length * 2 < last.length;
}

const TELLING_LINE =
  /error|fail|exception|panic|abort|expect|mismatch|not found|no such|no rule|cannot|missing|undefined|denied|refused/i;

/** The lines that say what is wrong; where none does, the last one. */
function telling(lines: readonly string[]): readonly string[] {
  const said = lines.filter((line) => TELLING_LINE.test(line));
  return said.length > 0 ? said : lines.slice(-1);
}

/** A runner's own words, frames of a stack, lines of no word. */
const IDLE_LINE = /^(?:npm (?:error|ERR!|warn|WARN|notice)\b|at |File ")|^\P{L}*$/u;

const VARYING_PARTS: readonly (readonly [RegExp, string])[] = [
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""],
  [/(?<![\w.])(?:\/private)?(?:\/var)?\/tmp\/[^\s'"`,;:)\]]+/g, "TMP"],
  [/(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+)*[\\/]([\w.@+~-]+)/g, "$1"],
  [/\b0x[\da-f]+\b|\b(?=[a-f]*\d)[\da-f]{6,}\b|\d+/gi, "#"],
  [/#(?:[.:,]#)+/g, "#"],
  [/#\s*(?:[nµum]?s|sec(?:onds?)?|min(?:utes?)?|[mh])\b/gi, "#"],
  [/([=~_*.·-])\1{2,}/g, ""],
  [/\s+/g, " "],
];

function linesOf({ output }: CommandEvidence, roots: readonly string[]): readonly string[] {
  const text = roots.reduce((shorter, root) => shorter.replaceAll(root, "."), output);
  return text.split(/[\r\n]+/).flatMap((line) => (IDLE_LINE.test(plain(line)) ? [] : [plain(line)]));
}

function plain(line: string): string {
  return VARYING_PARTS.reduce((now, [varies, instead]) => now.replaceAll(varies, instead), line).trim();
}

/** What a person reads of why it failed: the last line that says something. */
export function reasonOf({ evidence }: LeafResult, roots: readonly string[]): string {
  if (evidence.kind !== "command") return "failed";
  const { output, exit_code, tests } = evidence;
  if (tests?.failing !== undefined)
    return `${tests.failing.total} failed: ${tests.failing.names.slice(0, 3).join(", ")}`;
  const lines = roots.reduce((shorter, root) => shorter.replaceAll(root, "."), output).split(/[\r\n]+/);
  const said = telling(lines.map((line) => line.trim()).filter((line) => !IDLE_LINE.test(line))).at(-1);
  return `exit code ${exit_code ?? "none"}${said === undefined ? ", no output" : `: ${said.slice(0, 80)}`}`;
}
