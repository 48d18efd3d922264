/** The points at which a run is killed, which of them are tried, and what is tried at each. */
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { chance } from "../support/bundle.ts";
import { age, remainsOf, sceneFrom, whatIsWrong, type End, type Ran, type Remains, type Scene } from "./scene.ts";

/** One moment of one operation; see fixtures/programs/crash-trap.cjs. */
export interface Point {
  readonly kind: string;
  readonly nth: number;
  readonly moment: "before" | "half" | "during" | "cut" | "after";
}

export interface Tried {
  readonly points: readonly Point[];
  /** Of the points, how many a run was killed at. */
  readonly killed: number;
  readonly wrong: readonly string[];
}

const SLOTS = 3;

/** The guardian ends what a killed run left running: a git that has just made its lock does not remove it then. */
const GIT_DIES: ReadonlySet<Point["moment"]> = new Set(["during", "cut"]);

/** What follows within the same tick: after the one is before the other. */
const SAME_TICK = /^(create|write|sync|rename) (state|name)$|^(write|link) (state|run) lock$|^write journal$/;
const READING_GIT =
  /^git (version|status|config|log|cat-file|rev-parse|for-each-ref|symbolic-ref|diff-tree|merge-base)$/;

function momentsOf(kind: string): readonly Point["moment"][] {
  if (SAME_TICK.test(kind)) return kind.startsWith("write") ? ["before", "half"] : ["before"];
  if (READING_GIT.test(kind)) return ["before", "after"];
  if (/^write .*(?<!async)$/.test(kind)) return ["before", "half", "after"];
  if (kind.startsWith("git ")) return ["before", "during", "cut", "after"];
  if (/^(agent|check|guardian)/.test(kind)) return ["before", "during", "after"];
  return ["before", "after"];
}

/** Every point of a run that is not disturbed. @param tally the kinds of its operations, in their order */
export function pointsOf(tally: readonly string[]): Point[] {
  const counts = new Map<string, number>();
  return tally.flatMap((kind) => {
    const nth = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, nth);
    return momentsOf(kind).map((moment): Point => ({ kind, nth, moment }));
  });
}

const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/journal/, "journal"],
  [/lock/, "lock"],
  [/state/, "state file"],
  [/^git update-ref/, "refs"],
  [/^git merge$/, "hand-over"],
  [READING_GIT, "git, reading"],
  [/^git/, "git, objects"],
  [/^(agent|check|guardian)/, "programs"],
  [/async/, "folders"],
];

/** What an operation is about, roughly. */
function familyOf(kind: string): string {
  return FAMILIES.find(([pattern]) => pattern.test(kind))?.[1] ?? "other files";
}

/** Of every family of operations one point of each moment, somewhere in the run. */
export function oneOfEach(points: readonly Point[], seed: number): Point[] {
  const next = chance(seed);
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const key = `${point.moment}|${familyOf(point.kind)}`;
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()].flatMap((group) => group[Math.floor(next() * group.length)] ?? []);
}

export function nameOf({ moment, nth, kind }: Point): string {
  return `${moment}|${nth}|${kind}`;
}

/**
 * A run that is killed at the first point, then one that is killed at the second, and so on; then one that is not.
 * Each sees what the one before left, at once.
 */
async function survive(template: string, points: readonly Point[], expected: End): Promise<Tried> {
  const scene = sceneFrom(template);
  const wrong: string[] = [];
  const remains: Remains[] = [];
  try {
    let last: Ran | null = null;
    for (const [turn, point] of points.entries()) {
      const hit = join(scene.top, `hit-${turn}`);
      const ran = await scene.run({ CRASH_AT: nameOf(point), CRASH_HIT: hit });
      if (!existsSync(hit)) {
        // It was over before the point came.
        last = ran;
        break;
      }
      remains.push(remainsOf(scene, remains.length + 1));
      age(scene);
    }
    last ??= await scene.run();
    if (points.some(({ moment }) => GIT_DIES.has(moment))) doAsReported(scene, last);
    wrong.push(...(await judge(scene, last, remains, expected)));
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
  }
  if (wrong.length === 0 || process.env["KEEP"] === undefined) scene.remove();
  else wrong.push(`kept in ${scene.top}`);
  return { points, killed: remains.length, wrong };
}

/**
 * A git that dies with the machine may leave its locks on the person's index and branch. Whose they are cannot be known,
 * so the run does not touch them: it says what to do. Here that is done.
 */
function doAsReported(scene: Scene, ran: Ran): void {
  const own = ["index.lock", "HEAD.lock", "refs/heads/main.lock"].map((name) => join(scene.root, ".git", name));
  for (const lock of own) if (existsSync(lock) && ran.out.includes(lock)) rmSync(lock);
  const [, taken] = /up: git merge (?:\S+ )?(aot\/\S+?)"/.exec(ran.out) ?? [];
  if (taken === undefined) return;
  // Files of the work that the dead git had written already.
  for (const file of scene.git("ls-files", "--others", "--exclude-standard").split("\n"))
    if (file !== "" && scene.git("ls-tree", "--name-only", taken, "--", file) === file) rmSync(join(scene.root, file));
  scene.git("merge", "-q", taken);
}

async function judge(scene: Scene, ran: Ran, remains: readonly Remains[], expected: End): Promise<string[]> {
  const wrong = await whatIsWrong(scene, remains, remains.length);
  // Killed when all was done: nothing is left to run, and that is what the next run says.
  const wasOver = remains.length > 0 && ran.code === 3 && scene.state().control.status === "completed";
  const end = scene.end(wasOver ? { ...ran, code: 0 } : ran);
  for (const key of Object.keys(expected) as (keyof End)[]) {
    const [is, was] = [JSON.stringify(end[key]), JSON.stringify(expected[key])];
    if (is !== was) wrong.push(`${key} is ${is}, undisturbed it is ${was}\n${ran.out}${ran.err}`);
  }
  return wrong;
}

/** Tries each, a few at a time. @returns what went wrong, one text per failure */
export async function tryAll(
  template: string,
  tries: readonly (readonly Point[])[],
  expected: End,
): Promise<readonly Tried[]> {
  const left = [...tries.entries()];
  const tried: Tried[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const answer = await survive(template, next[1], expected);
      tried.push(answer);
      const log = process.env["CRASH_PROGRESS"];
      if (log !== undefined)
        appendFileSync(
          log,
          `${tried.length}/${tries.length} ${answer.killed} ${answer.points.map(nameOf).join(" then ")} ${answer.wrong.join("\n   ")}\n`,
        );
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, work));
  return tried;
}

/** For the failure of a test: which points, and what came of each. */
export function reportedOf(tried: readonly Tried[]): string[] {
  return tried.flatMap(({ points, wrong }) =>
    wrong.length === 0 ? [] : [`${points.map(nameOf).join(", then ")}:\n  ${wrong.join("\n  ").slice(0, 4_000)}`],
  );
}

/** The operations of a run that is not disturbed, and its end. */
export async function undisturbed(template: string): Promise<{ readonly tally: readonly string[]; readonly end: End }> {
  const scene = sceneFrom(template);
  try {
    const file = join(scene.top, "tally");
    const ran = await scene.run({ CRASH_TALLY: file });
    const wrong = await whatIsWrong(scene, [], 0);
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return { tally: readFileSync(file, "utf8").trimEnd().split("\n"), end: scene.end(ran) };
  } finally {
    scene.remove();
  }
}
