/** What is behind "did you mean": the name with the fewest edits, if it is close. */
export function nearest(name: string, known: Iterable<string>): string {
  let best = "";
  let fewest = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(name, candidate, fewest);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best === "" ? "name something that exists, or add it" : `did you mean ${best}?`;
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
