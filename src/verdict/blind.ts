/**
 * Whether a check that turned green looks at what it is about (SPEC section 6).
 *
 * BLIND-1 on the agreed form it must fail once its tests expect something else (canary.ts). Green each time it was tried, it does not
 *    look at them; where nothing can be changed, or no change can be loaded, nothing is said;
 * BLIND-2 nor of a check that said the same of such tests before the work: it reads them, as a compiler does, and runs none;
 * BLIND-3 where no test says it: a fault that is planted where it found one, and that it does not see, is named and refuses nothing.
 */
import { decides, isCode, TEST_LIBRARY } from "./agreed-form.ts";
import {
  agreedFor,
  named,
  refused,
  textsOf,
  type AgreedWorld,
  type ChangedFile,
  type CommandNode,
} from "./as-agreed.ts";
import { canariesOf, placesIn, type Canary, type TestText } from "./canary.ts";
import { SEPARATOR, type RedRun } from "../core/test-report.ts";
import type { LeafResult } from "../core/verdict.ts";
import type { AlignedFiles } from "./agreed-files.ts";

/** To be asked last. Null: it looks at its tests, or there is no way to find out. */
export async function whyBlind(
  node: CommandNode,
  changed: readonly ChangedFile[],
  world: AgreedWorld,
): Promise<LeafResult | null> {
  const { files, run } = world;
  const hasTests = files.all.some((path) => decides(path) === "test") || (await files.holding(TEST_LIBRARY)).length > 0;
  // To know how it failed may cost a run.
  if (hasTests) await world.learn(node.check);
  const { back, red, failed } = await agreedFor(node, changed, world);
  if (red === null) return null;
  const agreed = textsOf(back);
  const tests = !hasTests ? [] : await failingTests(node.check.value, failed ?? [], red, { files, agreed });
  const green: { readonly result: LeafResult; readonly canary: Canary }[] = [];
  for (const canary of canariesOf(tests)) {
    await files.replace(new Map([...agreed, ...canary]));
    const result = await run(node, "canary");
    if (result.passed === null) return result;
    const { evidence } = result;
    if (result.passed) green.push({ result, canary });
    else if (evidence.kind !== "command" || evidence.note === undefined) return null;
  }
  const [first] = green;
  if (first === undefined || !(await sawBefore(node, green, world))) return await unnoticed(node, red, agreed, world);
  const paths = [...first.canary.keys()];
  return refused(
    first.result,
    `does not look at its tests: with other expectations in ${named(paths)} it passes all the same. Something ends the run early, takes the assertions away, or prints a report of its own`,
    paths,
  );
}

/** BLIND-2: whether it said something else of one of these on the files of the alignment. */
async function sawBefore(
  node: CommandNode,
  tried: readonly { readonly canary: Canary }[],
  { files, run }: AgreedWorld,
): Promise<boolean> {
  const then = files.changed.map((path) => [path, null] as const);
  const said = async (canary: Canary): Promise<string> => {
    await files.replace(new Map([...then, ...canary]));
    const { passed, evidence } = await run(node, "canary");
    const output = evidence.kind === "command" ? evidence.output : "";
    return `${passed} ${output.replaceAll(TIMES, "")}`;
  };
  const before = await said(new Map());
  // What reads code says where it complains; of a runner that says no more than "failed" this tells nothing.
  if (!/[:(]\d+|\bline \d+/.test(before)) return true;
  for (const { canary } of tried) if ((await said(canary)) !== before) return true;
  return false;
}

const TIMES = /\b[\d:.]*\d\s?(ms|s|sec|seconds)\b|\bduration\w*:? [\d.]+|\b\d+(:\d+)+\b/g;

/** No language reads this. */
const FAULT = "\n)]}<<\n";
const MOST_PLANTED = 8;

/** BLIND-3. Null: it sees it, or complained of no program. */
async function unnoticed(
  node: CommandNode,
  { said }: RedRun,
  agreed: ReadonlyMap<string, string | null>,
  { files, run }: AgreedWorld,
): Promise<LeafResult | null> {
  const known = new Set(files.all);
  const places = placesIn(said, (path) =>
    pathIn(path, (one) => known.has(one) && isCode(one) && decides(one) === null),
  );
  const planted = [...places.keys()].slice(0, MOST_PLANTED).flatMap((path) => {
    const text = files.now(path);
    return text === null ? [] : [[path, text + FAULT] as const];
  });
  if (planted.length === 0) return null;
  await files.replace(new Map([...agreed, ...planted]));
  const { passed } = await run(node, "again");
  if (passed !== true || node.evidence.kind !== "command") return null;
  return { ...node, evidence: { ...node.evidence, unnoticed: planted.map(([path]) => path) } };
}

/** As programs name a file: by a longer path, too. */
function pathIn(path: string, isIt: (path: string) => boolean): string | null {
  const parts = path.replace(/^\.\//, "").split("/");
  return parts.map((_, at) => parts.slice(at).join("/")).find(isIt) ?? null;
}

const MOST_TESTS = 40;

/** The agreed tests of a check, with the lines at which it failed: as its failure named them, else by names and titles of its tests. */
async function failingTests(
  command: string,
  names: readonly string[],
  { said }: RedRun,
  { files, agreed }: { readonly files: AlignedFiles; readonly agreed: ReadonlyMap<string, string | null> },
): Promise<readonly TestText[]> {
  const known = new Set(files.all);
  const naming = new Set(await files.holding(TEST_LIBRARY));
  const isTest = (path: string): boolean =>
    known.has(path) && (decides(path) === "test" || naming.has(path)) && !path.includes("node_modules/");
  const fileOf = (path: string): string | null => pathIn(path, isTest);
  const places = placesIn(said, fileOf);
  const split = names.map((name) => name.split(SEPARATOR));
  const named = [...split.map(([first = ""]) => first), ...command.split(/[\s'"=]+/)].flatMap(
    (word) => fileOf(word) ?? [],
  );
  const titles = split.map((parts) => parts.at(-1) ?? "").filter((title) => title.length > 3);
  const sure = [...new Set([...places.keys(), ...named])];
  const pattern = titles.map((title) => title.replaceAll(/[^\w ]/g, ".")).join("|");
  const titled = sure.length > 0 || titles.length === 0 ? [] : (await files.holding(pattern)).filter(isTest);
  const found: TestText[] = [];
  for (const path of [...sure, ...titled].slice(0, MOST_TESTS)) {
    const text = agreed.has(path) ? (agreed.get(path) ?? (await files.before(path))) : files.now(path);
    const lines = text?.split("\n") ?? [];
    const ofTitles = lines.flatMap((line, at) => (titles.some((title) => line.includes(title)) ? [at + 1] : []));
    const failed = places.get(path) ?? [];
    if (text !== null) found.push({ path, text, lines: failed.length > 0 ? failed : ofTitles });
  }
  return found;
}
