export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Random numbers in [0, 1) that are the same in every run (mulberry32). */
export function chance(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Where a share lies with 95 % (Wilson). */
export function intervalOf(part, total) {
  const z = 1.96;
  const share = part / total;
  const middle = share + z ** 2 / (2 * total);
  const half = z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  const scale = 1 + z ** 2 / total;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}
