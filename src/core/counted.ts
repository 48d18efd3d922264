/** `1 attempt`, `2 attempts`: of words whose plural ends in s. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
