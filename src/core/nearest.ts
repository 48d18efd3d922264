/** The known word that was probably meant, if one is close. */
export function meantBy(word: string, known: Iterable<string>): string | undefined {
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
export function nearest(
  word: string,
  known: Iterable<string>,
  otherwise = "name something that exists, or add it",
): string {
  const meant = meantBy(word, known);
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
}

/** Edit distance, or `limit` when it is at least that. */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? limit;
}
