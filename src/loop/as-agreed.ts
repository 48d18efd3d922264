/**
 * Guards a verdict against work that weakens tests: it must also hold with the tests of the alignment (SPEC section 6).
 *
 * AS-AGREED-1 if the work changed tests or their configuration, a check that failed before the work must also pass with these
 *    files as at the alignment (new configuration removed): the tests that failed then have to pass now;
 * AS-AGREED-2 new and changed tests stay if the report at the alignment named no failed test; without a report only new ones
 *    stay. A new test that the check names always stays. A check that could not run at the alignment passes AS-AGREED-1;
 * AS-AGREED-3 a check whose report was never seen to follow the choice of tests must fail once its test files are broken: if it
 *    still passes, it does not look at them.
 */
import { decides, isMixed, partsAsBefore, type Deciding } from "../core/deciding-files.ts";
import { brokenText, testFiles, testFilesHere } from "../core/broken-test.ts";
import type { Check, Objective } from "../core/state.ts";
import { isLike, type CommandCheck, type UnreadRun } from "../core/test-report.ts";
import { isKnownGreen, type Answers } from "../core/tree-answers.ts";
import { checkNodesOf, judge, type CheckNode, type ChecklistVerdict, type LeafResult } from "../core/verdict.ts";
import type { AlignedFiles, Rerun, TestMemory } from "./ports.ts";

/** What a passing verdict is tested against. */
export interface AgreedWorld {
  readonly files: AlignedFiles;
  readonly objective: Objective;
  readonly answers: Answers;
  /** False: each check may run only once, which rules AS-AGREED-3 out. */
  readonly repeats: boolean;
  readonly tests?: TestMemory | undefined;
  /** Runs one check in the verdict's checkout, then restores the commit's files. */
  run(node: CheckNode, how: Rerun): Promise<LeafResult>;
  /** How a check without a report ran at the alignment; null: unknown. */
  unread(check: Check): Promise<UnreadRun | null>;
}

interface ChangedFile {
  readonly path: string;
  readonly kind: Deciding;
  /** Content for the run; null: as at the alignment (a new file is removed). */
  readonly text: string | null;
  readonly isNew: boolean;
}

/** Test files, and configuration of their runners, that differ from the alignment. */
export async function changedTests(
  files: Pick<AlignedFiles, "changed" | "now" | "before">,
): Promise<readonly ChangedFile[]> {
  const found: ChangedFile[] = [];
  for (const path of files.changed) {
    const kind = decides(path);
    if (kind === null && !isMixed(path)) continue;
    const [now, before] = [files.now(path), await files.before(path)];
    const text = kind === null && now !== null ? partsAsBefore(path, now, before) : null;
    if (kind === null && now !== null && text === null) continue;
    found.push({ path, kind: kind ?? "configuration", text: text ?? emptied(path, before), isNew: before === null });
  }
  return found;
}

/** A new one of these is emptied, not removed: its mere existence makes a folder importable. */
const FOLDER_MARKER = /(^|\/)(__init__|conftest)\.py$/;

function emptied(path: string, before: string | null): string | null {
  return before === null && FOLDER_MARKER.test(path) ? "" : null;
}

/**
 * @param verdict a passing one, of which the checks that break the rule are failed
 * @param how `as_agreed`: AS-AGREED-1; `broken`: AS-AGREED-3, to be asked last, since repeated runs can make it unnecessary
 */
export async function asAgreed(
  verdict: ChecklistVerdict,
  how: "as_agreed" | "broken",
  changed: readonly ChangedFile[],
  world: AgreedWorld,
): Promise<ChecklistVerdict> {
  const results: LeafResult[] = [];
  const why = how === "broken" ? whyBlind : whyNotAsAgreed;
  for (const node of checkNodesOf(verdict.checklist)) {
    const { check } = node;
    const decided = node.passed === true && check.type === "command" && check.baseline !== "pass";
    const failed = check.type === "command" ? (world.tests?.failed(world.objective, check) ?? null) : null;
    const isTried = decided && !isKnownGreen(world.answers, check);
    results.push((isTried ? await why(node, putBackFor(check, changed, failed), world, failed) : null) ?? node);
  }
  let place = 0;
  // Leaves are visited in the order of the file.
  return judge({ checklist: verdict.checklist }, () => results[place++]);
}

/** AS-AGREED-2. */
function putBackFor(
  { value, allow_changed = [] }: CommandCheck,
  changed: readonly ChangedFile[],
  failed: readonly string[] | null,
): readonly ChangedFile[] {
  const due = ({ path, kind, isNew }: ChangedFile): boolean => {
    if (kind === "configuration") return true;
    if (isNew && value.includes(path)) return false;
    return failed === null ? !isNew : failed.length > 0;
  };
  const isAllowed = (path: string): boolean =>
    allow_changed.some((glob) => isLike(path, glob) || path.startsWith(`${glob.replace(/\/$/, "")}/`));
  return changed.filter((file) => due(file) && !isAllowed(file.path));
}

/** AS-AGREED-1. Null: it passes with these files, too. */
async function whyNotAsAgreed(
  node: CheckNode,
  changed: readonly ChangedFile[],
  { files, run, unread }: AgreedWorld,
  failed: readonly string[] | null,
): Promise<LeafResult | null> {
  if (changed.length === 0) return null;
  await files.replace(new Map(changed.map(({ path, text }) => [path, text])));
  const result = await run(node, "as_agreed");
  if (result.passed !== false) return result.passed === null ? result : null;
  // AS-AGREED-2.
  if (failed === null && (await unread(node.check))?.could_run === false) return null;
  const names = changed.map(({ path }) => path);
  const list = named(names);
  return refused(
    result,
    `passes only with the work's changes to ${list}; with ${names.length === 1 ? "it" : "them"} as agreed at the alignment it fails. Leave ${names.length === 1 ? "it" : "them"} as ${names.length === 1 ? "it was" : "they were"}; if the change is wanted, a person allows it: allow_changed (--allow-changed ${names[0] ?? ""})`,
    names,
  );
}

/** AS-AGREED-3. Null: it looks at its tests, or there is no way to find out. */
async function whyBlind(
  node: CheckNode,
  changed: readonly ChangedFile[],
  { files, tests, repeats, run, unread }: AgreedWorld,
  failed: readonly string[] | null,
): Promise<LeafResult | null> {
  if (!repeats || node.check.type !== "command" || tests?.follows(node.check) === true) return null;
  const back = new Map(changed.map(({ path, text }) => [path, text]));
  const broken = new Map<string, string>();
  const known = testFiles(node.check.value, failed ?? [], files);
  const then = known.length > 0 ? null : await unread(node.check);
  for (const path of known.length > 0 ? known : testFilesHere(then?.files ?? [], files)) {
    const text = brokenText(path, back.has(path) ? await files.before(path) : files.now(path));
    if (text !== null) broken.set(path, text);
  }
  if (broken.size === 0) return null;
  await files.replace(new Map([...back, ...broken]));
  const result = await run(node, "broken");
  if (result.passed !== true) return result.passed === null ? result : null;
  return refused(
    result,
    `does not look at its tests: with an error at the end of ${named([...broken.keys()])} it passes all the same. Something ends the run early, or prints a report of its own`,
    [...broken.keys()],
  );
}

function refused({ evidence }: LeafResult, why: string, files: readonly string[]): LeafResult {
  const base = evidence.kind === "command" ? evidence : null;
  if (base === null) return { passed: false, evidence };
  return { passed: false, evidence: { ...base, note: why, other_files: files } };
}

const MOST_NAMED = 8;

function named(files: readonly string[]): string {
  const more = files.length - MOST_NAMED;
  return `${files.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
