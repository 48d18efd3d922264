import { distance } from "../core/nearest.ts";

/** The known word that was probably meant, if one is close. */
function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(word, candidate, fewest);
    if (edits < fewest) [best, fewest] = [candidate, edits];
    else if (best === undefined && word.length >= 3 && candidate.startsWith(word)) best = candidate;
  }
  return best;
}

/** "did you mean X?", or what there is. */
export function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const found = nearest(word, known);
  return found === undefined ? otherwise : `did you mean ${found}?`;
}
