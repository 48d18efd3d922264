/** Lessons with the place where the failed work is kept (SPEC section 7). */
import type { Nogood } from "../core/event.ts";
import type { EffectContext } from "./effect-context.ts";
import type { KeptLesson } from "./lessons.ts";

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
