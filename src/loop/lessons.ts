/**
 * What earlier failures teach the next attempt, or the planner (SPEC section 7).
 *
 * LESSONS-1 the same reason is said once, with who said it;
 * LESSONS-2 never longer than MOST_LESSONS lessons of at most LESSON_LIMIT characters: the newest, and the first one
 *    that has evidence.
 */
import type { Nogood } from "../core/event.ts";
import { bullets, cut } from "./prompt-text.ts";
import type { EffectContext } from "./effect-context.ts";

/** Characters of one lesson, its evidence included. */
export const LESSON_LIMIT = 2_000;
const REASON_LIMIT = 800;
export const MOST_LESSONS = 6;
const MOST_NAMED = 4;

/** A lesson, and where the work it is about is kept, if that is known. */
export interface KeptLesson extends Nogood {
  readonly kept?: string;
}

interface Group {
  readonly reason: string;
  readonly of: readonly KeptLesson[];
}

/** As bullets; empty: there are none. @param lessons oldest first */
export function lessonsText(lessons: readonly KeptLesson[]): string {
  const groups = grouped(lessons);
  const shown = chosen(groups);
  return bullets(shown.map(lessonText), groups.length);
}

/** LESSONS-1. In the order of the last one of each. */
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
  const named = of.slice(-MOST_NAMED).map(({ attempt }) => attempt);
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

/** Work that is being put aside is waited for. */
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
