/**
 * What the next attempt, or the planner, is told about earlier failures (SPEC section 7).
 *
 * LESSONS-1 each reason appears once, with the attempts that gave it;
 * LESSONS-2 at most MOST_LESSONS lessons of at most LESSON_LIMIT characters: the newest, and the oldest one that has
 *    evidence.
 */
import type { Nogood } from "../core/event.ts";
import { bullets, cut } from "./prompt-text.ts";
import type { EffectContext } from "./effect-context.ts";

/** Characters of one lesson, its evidence included. */
export const LESSON_LIMIT = 2_000;
const REASON_LIMIT = 800;
export const MOST_LESSONS = 6;
const MOST_NAMED_ATTEMPTS = 4;

/** `kept`: the branch or patch that holds the attempt's work, if known. */
export interface KeptLesson extends Nogood {
  readonly kept?: string;
}

interface Group {
  readonly reason: string;
  readonly of: readonly KeptLesson[];
}

/** Lessons as bullets; empty if there are none. @param lessons oldest first */
export function lessonsText(lessons: readonly KeptLesson[]): string {
  const groups = grouped(lessons);
  const shown = chosen(groups);
  return bullets(shown.map(lessonText), groups.length);
}

/** LESSONS-1. Ordered by the latest lesson of each group. */
function grouped(lessons: readonly KeptLesson[]): readonly Group[] {
  const groups = new Map<string, KeptLesson[]>();
  for (const lesson of lessons) {
    const reason = lesson.reason.trim();
    const same = groups.get(reason) ?? [];
    groups.delete(reason);
    groups.set(reason, [...same, lesson]);
  }
  return [...groups].map(([reason, of]) => ({ reason, of }));
}

/** LESSONS-2. */
function chosen(groups: readonly Group[]): readonly Group[] {
  const last = groups.slice(-MOST_LESSONS);
  const shown = groups.find(({ of }) => of.some(({ evidence }) => evidence !== undefined));
  return shown === undefined || last.includes(shown) ? last : [shown, ...last.slice(1)];
}

function lessonText({ reason, of }: Group): string {
  const named = of.slice(-MOST_NAMED_ATTEMPTS).map(({ attempt }) => attempt);
  const who =
    of.length > 1 ? `${of.length} times, ${of.length > named.length ? "last " : ""}${named.join(", ")}` : named[0];
  const kept = of.findLast((lesson) => lesson.kept !== undefined)?.kept;
  const evidence = of.findLast((lesson) => lesson.evidence !== undefined)?.evidence;
  return cut(
    [
      `${who}: ${cut(reason, REASON_LIMIT)}`,
      ...(kept === undefined ? [] : [`Its work is kept in ${kept}.`]),
      ...(evidence === undefined ? [] : [evidence]),
    ].join("\n"),
    LESSON_LIMIT,
  );
}

/** Adds where each attempt's work is kept, once pending `shelve` calls have ended. */
export async function whereKept(context: EffectContext, nogoods: readonly Nogood[]): Promise<readonly KeptLesson[]> {
  const { workspace } = context.ports;
  if (nogoods.length === 0 || workspace.kept === undefined) return nogoods;
  await Promise.all(context.shelving);
  const kept = await workspace.kept(nogoods.map(({ attempt }) => attempt));
  return nogoods.map((nogood) => {
    const place = kept.get(nogood.attempt);
    return place === undefined ? nogood : { ...nogood, kept: place };
  });
}
