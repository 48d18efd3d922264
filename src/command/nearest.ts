import { distance } from "../core/nearest.ts";

/** The known word that was probably meant, if one is close. */
function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(word, candidate, fewest);
    if (edits < fewest && (edits < 2 || word.length > 3 || isSwapped(word, candidate)))
      [best, fewest] = [candidate, edits];
    else if (best === undefined && word.length >= 3 && candidate.startsWith(word)) best = candidate;
  }
  return best;
}

/** The same letters in another order. Two other edits make any word of three letters out of any other. */
function isSwapped(word: string, other: string): boolean {
  return Array.from(word).toSorted().join("") === Array.from(other).toSorted().join("");
}

/** "did you mean X?", or what there is. */
export function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const found = nearest(word, known);
  return found === undefined ? otherwise : `did you mean ${found}?`;
}
