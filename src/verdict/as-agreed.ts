/**
 * Guards a verdict against work that changes what decides it (SPEC section 6).
 *
 * AS-AGREED-1 a check that failed before the work must also pass on the agreed form of the work: what decides it as at the alignment
 *    (agreed-form.ts), so that the tests that failed then pass. That a file was touched refuses nothing;
 * AS-AGREED-2 of the agreed form are not: what a person allows; new tests that the check or its failure before the work names; new
 *    and changed tests where no test failed then. A check that could not run then passes AS-AGREED-1.
 */
import {
  bearsModule,
  decides,
  isCode,
  isDocument,
  isMixed,
  isProgram,
  modulesOf,
  namesTestLibrary,
  nameOf,
  OWN_TESTS,
  ownTestsAsBefore,
  partsAsBefore,
  TEST_LIBRARY,
  type Deciding,
} from "./agreed-form.ts";
import { placesIn } from "./canary.ts";
import { parseObject } from "../core/reading.ts";
import type { Check } from "../core/state.ts";
import { isLike, type CommandCheck, type RedRun } from "../core/test-report.ts";
import { isKnownGreen, type Answers } from "../core/tree-answers.ts";
import { checkNodesOf, judge, type CheckNode, type ChecklistVerdict, type LeafResult } from "../core/verdict.ts";
import type { AlignedFiles, Rerun } from "./agreed-files.ts";

/** What a passing verdict is tested against. */
export interface AgreedWorld {
  readonly files: AlignedFiles;
  readonly answers: Answers;
  /** Names of its tests that failed at the alignment; null: it named none. */
  failed(check: Check): readonly string[] | null;
  /** Runs one check in the verdict's checkout, then restores the commit's files. */
  run(node: CheckNode, how: Rerun): Promise<LeafResult>;
  /** How a check ran at the alignment; null: it is not known without a run. */
  known(check: Check): RedRun | null;
  /** So that it is known: where it is not, the check is run there. */
  learn(check: Check): Promise<void>;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: Deciding | "stands in";
  /** Content for the run; null: as at the alignment (a new file is removed). */
  readonly text: string | null;
  readonly isNew: boolean;
  /** Module in whose place it stands. */
  readonly module?: string;
}

type World = Omit<AlignedFiles, "replace" | "borrowed">;

/** More are not looked at one by one. */
export const MOST_LOOKED_AT = 300;

/** The files that decide, and differ from the alignment. @param commands of the checks */
export async function changedTests(files: World, commands: readonly string[]): Promise<readonly ChangedFile[]> {
  const { changed, holding } = files;
  const unsure = changed.filter((path) => decides(path) === null && !isMixed(path) && !isDocument(path));
  const looked = new Set(unsure.slice(0, MOST_LOOKED_AT));
  const naming = new Set(await holding(TEST_LIBRARY, [...looked]));
  const withTests = new Set(await holding(OWN_TESTS, [...looked]));
  const modules = once(() => modulesAgreed(files));
  const scripts = parseObject((await files.before("package.json")) ?? "")?.["scripts"] ?? {};
  const started = [...commands, ...Object.values(scripts).filter((script) => typeof script === "string")];
  const found: ChangedFile[] = [];
  for (const path of changed) {
    if (decides(path) === null && !isMixed(path) && !looked.has(path)) continue;
    const isNew = !(await files.had(path));
    const seen = { path, isNew, named: isNamed(commands, path), isOfTool: isOfTool(started, path) };
    const own = { naming: naming.has(path), withTests: withTests.has(path), modules };
    const how = looked.has(path) ? await byContent(files, seen, own) : await byPath(files, seen);
    if (how !== null) found.push({ path, text: null, isNew, ...how });
  }
  return found;
}

interface Seen {
  readonly path: string;
  readonly isNew: boolean;
  /** By a check's command that runs something. */
  readonly named: boolean;
  readonly isOfTool: boolean;
}

type How = Pick<ChangedFile, "kind"> & Partial<ChangedFile>;

async function byPath(files: World, { path, isNew }: Seen): Promise<How | null> {
  const kind = decides(path);
  if (kind === null) {
    const [now, before] = [files.now(path), await files.before(path)];
    const text = now === null ? null : partsAsBefore(path, now, before);
    return now !== null && text === null ? null : { kind: "configuration", text };
  }
  const isProgram = kind === "configuration" && isCode(path) && !isNew && (await isImported(files, path));
  // A new one is emptied, not removed: its mere existence makes a folder importable.
  return isProgram ? null : { kind, text: isNew && FOLDER_MARKER.test(path) ? "" : null };
}

/** AGREED-FORM-1, -3, -4. */
async function byContent(
  files: World,
  { path, isNew, named, isOfTool }: Seen,
  {
    naming,
    withTests,
    modules,
  }: { readonly naming: boolean; readonly withTests: boolean; modules(): Promise<readonly string[]> },
): Promise<How | null> {
  if (isOfTool) return { kind: "configuration" };
  const now = isCode(path) ? files.now(path) : null;
  if (withTests && now !== null) {
    const text = ownTestsAsBefore(now, (await files.before(path)) ?? "");
    return text === null ? null : { kind: "test", text };
  }
  if (naming) return (await isImported(files, path)) ? null : { kind: "test" };
  if (!isCode(path)) {
    if (isNew) return null;
    const { tests, programs } = await usersOf(files, path);
    return programs === 0 && (tests > 0 || named) ? { kind: "data" } : null;
  }
  if (!isNew || now === null) return null;
  const module = (await modules()).find((one) => bearsModule(path, one));
  if (module !== undefined) return { kind: "stands in", module };
  return namesTestLibrary(now) && !(await isImported(files, path, true)) ? { kind: "test" } : null;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

const FOLDER_MARKER = /(^|\/)(__init__|conftest)\.py$/;

/** More have to be found by the folder that they lie in. */
const MOST_BY_CONTENT = 12;

/** The tests whose paths do not say so. */
export async function testsByContent(files: World): Promise<readonly string[]> {
  const naming = (await files.holding(TEST_LIBRARY)).filter((path) => isCode(path) && decides(path) === null);
  const found: string[] = [];
  for (const path of naming.slice(0, MOST_BY_CONTENT)) if (!(await isImported(files, path))) found.push(path);
  return found;
}

async function isImported(files: World, path: string, isNew = false): Promise<boolean> {
  return (await usersOf(files, path, isNew)).programs > 0;
}

/**
 * How many tests and how many files of the program name a file, as it was agreed: the work does not make a test the program's.
 * @param isNew as it is now
 */
async function usersOf(
  { holding, all, changed, now }: World,
  path: string,
  isNew = false,
): Promise<{ readonly tests: number; readonly programs: number }> {
  const isTwin = (other: string): boolean => other !== path && nameOf(other) === nameOf(path) && isCode(other);
  const folder = path.split("/").at(-2) ?? ".";
  const named = isCode(path) && all.some(isTwin) ? `${folder}/${nameOf(path)}` : nameOf(path);
  const name = named.replaceAll(/[^\w/-]/g, "[^[:alnum:]_]");
  const [before, behind] = ["(^|[^[:alnum:]_-])", "($|[^[:alnum:]_-])"];
  const words = "(import|require|from|use|include|load|source|mod|need|export|bin|main)";
  const word = isCode(path) ? `${words}.*${before}${name}${behind}|/${name}${behind}` : `${before}${name}${behind}`;
  const isNamed = new RegExp(word.replaceAll("[:alnum:]", "A-Za-z0-9"), "m");
  const found = isNew ? changed.slice(0, MOST_LOOKED_AT).filter((user) => isNamed.test(now(user) ?? "")) : [];
  const users = [...new Set([...(await holding(word)), ...found])].filter((user) => user !== path);
  const naming = new Set(users.length === 0 ? [] : await holding(TEST_LIBRARY, users));
  const programs = users.filter((user) => isProgram(user, naming.has(user)) && (isCode(user) || isMixed(user)));
  const tests = users.filter((user) => naming.has(user) || decides(user) === "test");
  return { tests: tests.length, programs: programs.length };
}

/** Modules that the agreed tests ask for, and no file of then bears. */
async function modulesAgreed({ holding, before }: World): Promise<readonly string[]> {
  const tests = (await holding(TEST_LIBRARY)).slice(0, MOST_LOOKED_AT);
  const asked = new Set<string>();
  for (const path of tests) for (const module of modulesOf((await before(path)) ?? "")) asked.add(module);
  const all = await holding("");
  return [...asked].filter((module) => module !== "" && !all.some((path) => bearsModule(path, module)));
}

/** Programs that look into files and run nothing of them: what they look into is what the work is about. */
const SEARCH = /^\s*!?\s*(?:git\s+)?(?:[ef]|z|r)?(?:grep|g|test|\[|jq|cat|ls|wc|diff|cmp|head|tail|rg|ag|find)\b/;

/** AGREED-FORM-3. @param started commands */
function isOfTool(started: readonly string[], path: string): boolean {
  const stem = /^([\w-]+)\.\w+$/.exec(path)?.[1];
  if (stem === undefined || isCode(path)) return false;
  const starts = new RegExp(`(?:^|&&|\\|\\|?|;)\\s*(?:${LAUNCHER})?(?:\\S*/)?${stem}(?:\\s|$)`);
  return started.some((command) => starts.test(command));
}

/** What starts a program of a package. */
const LAUNCHER = String.raw`(?:npx|bunx|uvx|pnpm|yarn)\s+(?:(?:exec|dlx|-\S+)\s+)*`;

export function isSearch(command: string): boolean {
  return command.split(/&&|\|\|?|;/).every((part) => SEARCH.test(part));
}

function isNamed(commands: readonly string[], path: string): boolean {
  return commands.some((command) => command.includes(path) && !isSearch(command));
}

/** What a rule makes of a check that turned green; null: nothing. */
export type AgreedRule = (
  node: CommandNode,
  changed: readonly ChangedFile[],
  world: AgreedWorld,
) => Promise<LeafResult | null>;

/** @param verdict a passing one, of which the checks that turned green are put to the rule */
export async function asAgreed(
  verdict: ChecklistVerdict,
  rule: AgreedRule,
  changed: readonly ChangedFile[],
  world: AgreedWorld,
): Promise<ChecklistVerdict> {
  const results: LeafResult[] = [];
  for (const node of checkNodesOf(verdict.checklist)) {
    const { check } = node;
    const decided = node.passed === true && check.type === "command" && check.baseline !== "pass";
    const isTried = decided && !isKnownGreen(world.answers, check);
    results.push((isTried ? await rule({ ...node, check }, changed, world) : null) ?? node);
  }
  let place = 0;
  // Leaves are visited in the order of the file.
  return judge({ checklist: verdict.checklist }, () => results[place++]);
}

export type CommandNode = CheckNode & { readonly check: CommandCheck };

/** AS-AGREED-2. */
function putBackFor(
  { value, allow_changed = [] }: CommandCheck,
  changed: readonly ChangedFile[],
  failed: readonly string[] | null,
  red: RedRun | null,
): readonly ChangedFile[] {
  const said = red?.said ?? "";
  const hasFailed =
    failed === null ? placesIn(said, (path) => (decides(path) === "test" ? path : null)).size > 0 : failed.length > 0;
  const due = ({ path, kind, isNew, module }: ChangedFile): boolean => {
    if (module !== undefined) return !said.includes(module.replaceAll("/", ".")) && !said.includes(module);
    if (kind !== "test") return true;
    if (isNew) return hasFailed && !value.includes(path) && !said.includes(path.split("/").at(-1) ?? path);
    return failed === null || hasFailed;
  };
  const isAllowed = (path: string): boolean =>
    allow_changed.some((glob) => isLike(path, glob) || path.startsWith(`${glob.replace(/\/$/, "")}/`));
  return changed.filter((file) => due(file) && !isAllowed(file.path));
}

/** What is put back for a check, and how it ran then. */
export async function agreedFor(
  { check }: CommandNode,
  changed: readonly ChangedFile[],
  { failed: failedThen, known, learn }: AgreedWorld,
): Promise<{
  readonly back: readonly ChangedFile[];
  readonly red: RedRun | null;
  readonly failed: readonly string[] | null;
}> {
  if (changed.length > 0) await learn(check);
  const red = known(check);
  const failed = failedThen(check);
  return { back: putBackFor(check, changed, failed, red), red, failed };
}

export function textsOf(back: readonly ChangedFile[]): ReadonlyMap<string, string | null> {
  return new Map(back.map(({ path, text }) => [path, text]));
}

/** AS-AGREED-1. Null: it passes with these files, too. */
export async function whyNotAsAgreed(
  node: CommandNode,
  changed: readonly ChangedFile[],
  world: AgreedWorld,
): Promise<LeafResult | null> {
  if (changed.length === 0) return null;
  const { back, red } = await agreedFor(node, changed, world);
  if (back.length === 0) return null;
  await world.files.replace(textsOf(back));
  const result = await world.run(node, "as_agreed");
  if (result.passed !== false) return result.passed === null ? result : null;
  // AS-AGREED-2.
  if (red?.could_run === false) return null;
  const names = back.map(({ path }) => path);
  const [they, were] = names.length === 1 ? ["it", "it was"] : ["them", "they were"];
  return refused(
    result,
    `passes only with the work's changes to ${named(names)}; with ${they} as agreed at the alignment it fails. Leave ${they} as ${were}; if the change is wanted, a person allows it: aot redirect allow-changed ${names[0] ?? ""}`,
    names,
  );
}

/** The result failed, with a reason. */
export function refused({ evidence }: LeafResult, why: string, files: readonly string[]): LeafResult {
  const base = evidence.kind === "command" ? evidence : null;
  if (base === null) return { passed: false, evidence };
  return { passed: false, evidence: { ...base, note: why, other_files: files } };
}

export function named(files: readonly string[], most = 8): string {
  const more = files.length - most;
  return `${files.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
