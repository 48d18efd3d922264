/**
 * A criterion that cannot fail is no criterion (SPEC section 6): the code that the checks are about is broken on purpose,
 * and what no check notices is named.
 *
 * CHALLENGE-1 only a copy of a commit is broken, one change at a time, and each is taken back before the next;
 * CHALLENGE-2 the order of the changes depends on the seed and on the files alone; the time decides how many are tried;
 * CHALLENGE-3 what a check said of a broken copy is never part of a verdict.
 */
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createChecker } from "../../adapters/checks/checker.ts";
import { recordingChecker, type TestsSeen } from "../../adapters/checks/red-first.ts";
import { beforeOf } from "../../adapters/checks/test-record.ts";
import { verifyBaseCase } from "../../adapters/checks/verify.ts";
import { protectedBy } from "../../adapters/workspace/change.ts";
import type { SetUp } from "../../adapters/workspace/set-up.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { State } from "../../core/state.ts";
import { checkNodesOf, isMechanical, leavesOf, type CheckNode, type ChecklistVerdict } from "../../core/verdict.ts";
import { copyOf, type Copy } from "./copy.ts";
import { mutantsOf } from "./mutants.ts";
import { isSubject, relatedTo, testsNamed } from "./subjects.ts";

/** How long changes are tried, milliseconds; making the copy and one run of the checks come before. */
export const CHALLENGE_MS = 60_000;

export interface ChallengeOptions {
  /** The project. */
  readonly project: string;
  /** What is broken; default: HEAD. */
  readonly commit?: string;
  /** Its checks, and what says which files they are about: the work since `aligned_commit`, `touches`, the goal. */
  readonly state: Pick<State, "objective" | "atoms">;
  readonly set_up: SetUp;
  /** Default `CHALLENGE_MS`. */
  readonly time_ms?: number;
  /** Default 1. */
  readonly seed?: number;
  readonly signal: AbortSignal;
}

/** A change that broke the code, and that the base case did not notice. */
export interface Survivor {
  /** Relative to the project. */
  readonly file: string;
  /** Absent: the whole file. */
  readonly line?: number;
  readonly change: string;
  /** Checks that passed all the same. */
  readonly checks: readonly string[];
}

export interface Challenge {
  readonly commit: string;
  readonly seed: number;
  /** Files that were broken, relative to the project. */
  readonly files: readonly string[];
  /** Changes that the time was enough for, and all there were. */
  readonly tried: number;
  readonly of: number;
  /** Changes that a check noticed, those that could not be parsed or compiled apart. */
  readonly noticed: number;
  readonly unparsable: number;
  readonly survivors: readonly Survivor[];
  /** Checks that passed whatever was broken. */
  readonly notice_nothing: readonly string[];
}

interface Wreck {
  readonly file: string;
  readonly line?: number;
  readonly change: string;
  /** By path; null: the file is gone. */
  readonly contents: ReadonlyMap<string, string | Buffer | null>;
}

/** @returns refused where nothing can be broken, or where no check says anything in a copy */
export async function challenge(options: ChallengeOptions): Promise<Result<Challenge>> {
  const { project, state, seed = 1 } = options;
  if (!leavesOf(state.objective.base_case).some(({ check }) => isMechanical(check)))
    return refused("there is no check to challenge", "only a judge decides this base case");
  const copy = await copyOf(project, options);
  if (!copy.ok) return copy;
  try {
    const files = await subjectsOf(copy.value, state);
    const wrecks = await wrecksOf(copy.value, files, state.objective.aligned_commit, seed);
    if (wrecks.length === 0)
      return refused("no file was found to break", "name the files in the goal, or in an atom's `touches`");
    return accepted({ commit: copy.value.commit, seed, files, ...(await tryAll(copy.value.dir, wrecks, options)) });
  } finally {
    await copy.value.remove();
  }
}

// ── what is broken ──────────────────────────────────────────────────────────

async function subjectsOf(copy: Copy, { objective, atoms }: ChallengeOptions["state"]): Promise<readonly string[]> {
  const { aligned_commit, base_case, goal } = objective;
  const changed = aligned_commit === undefined ? null : await copy.changedSince(aligned_commit);
  const present = new Set(copy.files);
  const worked = (changed ?? []).filter((path) => isSubject(path) && present.has(path));
  if (worked.length > 0) return worked;
  const expected = copy.files.filter(protectedBy(atoms.flatMap(({ touches = [] }) => touches))).filter(isSubject);
  if (expected.length > 0) return expected;
  const said = [goal, ...leavesOf(base_case).map(({ check }) => ("value" in check ? check.value : ""))].join("\n");
  const tests = await Promise.all(testsNamed(copy.files, said).map((path) => readFile(join(copy.dir, path), "utf8")));
  return relatedTo(copy.files, [said, ...tests].join("\n"));
}

/** CHALLENGE-2: the work reverted, each file emptied, then small changes, those of all files mixed. */
async function wrecksOf(
  copy: Copy,
  files: readonly string[],
  since: string | undefined,
  seed: number,
): Promise<readonly Wreck[]> {
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(join(copy.dir, file), "utf8")] as const),
  );
  const reverted = since === undefined || since === copy.commit ? [] : await revertedIn(copy, files, since);
  const emptied = texts.flatMap(([file, text]) =>
    text.trim() === "" ? [] : [{ file, change: "the file is empty", contents: new Map([[file, ""]]) }],
  );
  const mutants = texts.flatMap(([file, text]) =>
    mutantsOf(file, text).map(({ line, change, text: mutated }) => ({
      wreck: { file, line, change, contents: new Map([[file, mutated]]) },
      rank: createHash("sha256")
        .update(JSON.stringify([seed, file, mutated]))
        .digest("hex"),
    })),
  );
  const mixed = mutants.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ wreck }) => wreck);
  return [...reverted, ...emptied, ...mixed];
}

async function revertedIn(copy: Copy, files: readonly string[], since: string): Promise<readonly Wreck[]> {
  const changed = (await copy.changedSince(since)) ?? [];
  const worked = files.filter((file) => changed.includes(file));
  const [first] = worked;
  if (first === undefined) return [];
  const contents = await Promise.all(worked.map(async (file) => [file, await copy.contentAt(since, file)] as const));
  const change = worked.length === 1 ? "the work is reverted" : `the work is reverted, in ${worked.length} files`;
  return [{ file: first, change, contents: new Map(contents) }];
}

// ── what is noticed ─────────────────────────────────────────────────────────

const LEAST_SECONDS = 5;
/** A broken program may not end: how much longer than before a check may take. */
const TIME_FACTOR = 4;

async function tryAll(
  dir: string,
  wrecks: readonly Wreck[],
  { state, signal, time_ms = CHALLENGE_MS }: ChallengeOptions,
): Promise<Pick<Challenge, "tried" | "of" | "noticed" | "unparsable" | "survivors" | "notice_nothing">> {
  const { base_case } = state.objective;
  const tests: TestsSeen = new Map();
  const before = await verifyBaseCase(base_case, dir, { checker: recordingChecker(tests), signal });
  const slowest = Math.max(0, ...nodesOf(before).map(durationOf));
  const checker = createChecker({
    default_timeout_ms: Math.max(LEAST_SECONDS * 1_000, slowest * TIME_FACTOR),
    testsBefore: (check) => beforeOf(tests, check),
  });
  const until = AbortSignal.any([signal, AbortSignal.timeout(time_ms)]);
  const unnoticed = new Set(nodesOf(before).map(({ item }) => item));
  const counts = { tried: 0, noticed: 0, unparsable: 0 };
  const survivors: Survivor[] = [];
  for (const wreck of wrecks) {
    const verdict = await whileBroken(dir, wreck, () => verifyBaseCase(base_case, dir, { checker, signal: until }));
    if (until.aborted) break;
    counts.tried++;
    const passing = nodesOf(verdict).filter(({ passed }) => passed === true);
    for (const { item, passed } of nodesOf(verdict)) if (passed !== true) unnoticed.delete(item);
    if (survives(before, verdict)) {
      const { file, line, change } = wreck;
      survivors.push({
        file,
        ...(line === undefined ? {} : { line }),
        change,
        checks: passing.map(({ item }) => item),
      });
    } else if (isUnparsable(before, verdict)) counts.unparsable++;
    else counts.noticed++;
  }
  return { ...counts, of: wrecks.length, survivors, notice_nothing: counts.tried === 0 ? [] : [...unnoticed] };
}

/** Nothing says no; or a check that says no of the whole code says yes of the broken one. */
function survives(before: ChecklistVerdict, broken: ChecklistVerdict): boolean {
  if (broken.passed !== false) return true;
  const failed = new Set(nodesOf(before).flatMap(({ item, passed }) => (passed === false ? [item] : [])));
  return nodesOf(broken).some(({ item, passed }) => passed === true && failed.has(item));
}

function nodesOf({ checklist }: ChecklistVerdict): readonly CheckNode[] {
  return checkNodesOf(checklist).filter(({ check }) => isMechanical(check));
}

function durationOf({ evidence }: CheckNode): number {
  return evidence.kind === "command" ? evidence.duration_ms : 0;
}

/** What compilers and interpreters say of a program that is none. */
const NO_PROGRAM =
  /SyntaxError|IndentationError|ParseError|Unexpected token|syntax error|error(?:\[E\d+\]|\s+TS\d+|: expected|: cannot find symbol)|could not compile|build failed/i;

function isUnparsable(before: ChecklistVerdict, broken: ChecklistVerdict): boolean {
  const said = (verdict: ChecklistVerdict): string =>
    nodesOf(verdict)
      .map(({ evidence }) => (evidence.kind === "command" ? evidence.output : ""))
      .join("\n");
  return NO_PROGRAM.test(said(broken)) && !NO_PROGRAM.test(said(before));
}

/** CHALLENGE-1. */
async function whileBroken<T>(dir: string, { contents }: Wreck, look: () => Promise<T>): Promise<T> {
  const kept = await Promise.all(
    [...contents.keys()].map(async (file) => [file, await readFile(join(dir, file))] as const),
  );
  for (const [file, content] of contents)
    if (content === null) await rm(join(dir, file));
    else await writeFile(join(dir, file), content);
  try {
    return await look();
  } finally {
    for (const [file, content] of kept) await writeFile(join(dir, file), content);
  }
}
