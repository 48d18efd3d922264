/**
 * What the next attempt, or the planner, is told about earlier failures (SPEC section 7).
 *
 * LESSONS-1 each reason appears once, with how many attempts at what gave it: an attempt's id says nothing to a mind;
 * LESSONS-2 at most MOST_LESSONS lessons of at most LESSON_LIMIT characters: the newest, and the oldest one that has
 *    evidence; what the newest work changed is shown in at most DIFF_LIMIT more;
 * LESSONS-3 what checks said is told apart from what attempts failed at.
 */
import { atomIn, BASE_CASE, PERSON, type Nogood } from "../core/event.ts";
import { tellingPart } from "../core/telling.ts";
import { bullets, cut, joinedLines } from "./prompt-text.ts";
import type { EffectContext } from "./effect-context.ts";
import type { KeptWork } from "./ports.ts";

/** Characters of one lesson, its evidence included. */
export const LESSON_LIMIT = 2_000;
export const DIFF_LIMIT = 3_000;
const REASON_LIMIT = 800;
export const MOST_LESSONS = 6;
const WHAT_LIMIT = 120;

/** `kept`: where the attempt's work is, if known. `at`: the atom, where it is not the reader's. */
export interface KeptLesson extends Nogood {
  readonly kept?: KeptWork;
  readonly at?: string;
}

interface Group {
  readonly reason: string;
  readonly of: readonly KeptLesson[];
}

/** What attempts failed at, as bullets; empty if there are none. @param lessons oldest first */
export function lessonsText(lessons: readonly KeptLesson[]): string {
  const groups = grouped(lessons.filter(({ attempt }) => attempt !== BASE_CASE));
  const newest = groups.findLast(({ of }) => of.some(({ kept }) => kept?.diff !== undefined));
  return bullets(
    chosen(groups).map((group) => lessonText(group, group === newest)),
    groups.length,
  );
}

/** What the checks said of the goal, as bullets; empty if nothing is known. @param lessons oldest first */
export function checksText(lessons: readonly Nogood[]): string {
  const groups = grouped(lessons.filter(({ attempt }) => attempt === BASE_CASE));
  const lines = chosen(groups).map(({ reason, of }) => withEvidence([cut(reason, REASON_LIMIT)], of.at(-1)?.evidence));
  return bullets(lines, groups.length);
}

/** LESSONS-1. Ordered by the latest lesson of each group. */
function grouped(lessons: readonly KeptLesson[]): readonly Group[] {
  const groups = new Map<string, KeptLesson[]>();
  for (const lesson of lessons) {
    const key = JSON.stringify([lesson.at, lesson.attempt === PERSON, lesson.reason.trim()]);
    const same = groups.get(key) ?? [];
    groups.delete(key);
    groups.set(key, [...same, lesson]);
  }
  return [...groups.values()].map((of) => ({ reason: of[0]?.reason.trim() ?? "", of }));
}

/** LESSONS-2. */
function chosen(groups: readonly Group[]): readonly Group[] {
  const last = groups.slice(-MOST_LESSONS);
  const shown = groups.find(({ of }) => of.some(({ evidence }) => evidence !== undefined));
  return shown === undefined || last.includes(shown) ? last : [shown, ...last.slice(1)];
}

function lessonText({ reason, of }: Group, shows: boolean): string {
  const [first] = of;
  const times = first?.attempt === PERSON ? PERSON : of.length > 1 ? `${of.length} attempts` : "an attempt";
  const who = first?.at === undefined ? times : `${times} at ${first.at}`;
  const kept = of.findLast((lesson) => lesson.kept !== undefined)?.kept;
  const evidence = of.findLast((lesson) => lesson.evidence !== undefined)?.evidence;
  const where = kept === undefined ? [] : [whereText(kept)];
  const said = withEvidence([`${who}: ${cut(reason, REASON_LIMIT)}`, ...where], evidence);
  return shows && kept?.diff !== undefined ? `${said}\nWhat it changed:\n${cut(kept.diff, DIFF_LIMIT)}` : said;
}

/** Of too much evidence that which says why. */
function withEvidence(lines: readonly string[], evidence = ""): string {
  const head = cut(lines.join("\n"), LESSON_LIMIT);
  return joinedLines([head, tellingPart(evidence, Math.max(0, LESSON_LIMIT - head.length - 1))]);
}

function whereText({ name, commit }: KeptWork): string {
  return commit === undefined
    ? `Its work is kept in ${name}.`
    : `Its work is commit ${commit}, not in this folder: \`git show\` has all of it, \`git cherry-pick -n\` takes it.`;
}

/** Adds where each attempt's work is kept, once pending `shelve` calls have ended, and its atom where that is not `own`. */
export async function whereKept(
  { ports, shelving, stateNow }: EffectContext,
  nogoods: readonly Nogood[],
  own?: string,
): Promise<readonly KeptLesson[]> {
  if (nogoods.length === 0) return nogoods;
  if (ports.workspace.kept !== undefined) await Promise.all(shelving);
  const places = await ports.workspace.kept?.(nogoods.map(({ attempt }) => attempt));
  return nogoods.map((nogood) => {
    const kept = places?.get(nogood.attempt);
    const atom = stateNow().state.atoms.find(({ id }) => id === atomIn(nogood.attempt) && id !== own);
    const at = atom && `${atom.id} (${cut(atom.description, WHAT_LIMIT)})`;
    return { ...nogood, ...(kept !== undefined && { kept }), ...(at !== undefined && { at }) };
  });
}
