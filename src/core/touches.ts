/**
 * Whether two atoms may change the same file, judged by their globs (SPEC section 5). Errs on the side
 * of "yes": a wrong yes costs a little parallelism, a wrong no a merge conflict.
 */

export function overlap(left: readonly string[] | undefined, right: readonly string[] | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.some((a) => right.some((b) => globsMeet(segmentsOf(a), segmentsOf(b))));
}

function segmentsOf(glob: string): readonly string[] {
  const segments = glob
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
  // A folder stands for everything in it.
  return glob.endsWith("/") ? [...segments, "**"] : segments;
}

function globsMeet(a: readonly string[], b: readonly string[]): boolean {
  const [x, ...restA] = a;
  const [y, ...restB] = b;
  if (x === undefined && y === undefined) return true;
  if (x === "**") return globsMeet(restA, b) || (y !== undefined && globsMeet(a, restB));
  if (y === "**") return globsMeet(a, restB) || (x !== undefined && globsMeet(restA, b));
  // A path that ends where the other goes on: a folder and something in it.
  if (x === undefined || y === undefined) return true;
  return segmentsMeet(x, y) && globsMeet(restA, restB);
}

const WILD = /[*?[\]{}()!+@]/;

function segmentsMeet(x: string, y: string): boolean {
  const wildX = x.search(WILD);
  const wildY = y.search(WILD);
  if (wildX < 0 && wildY < 0) return x === y;
  const prefix = Math.min(wildX < 0 ? x.length : wildX, wildY < 0 ? y.length : wildY);
  if (x.slice(0, prefix) !== y.slice(0, prefix)) return false;
  const suffix = Math.min(plainSuffix(x), plainSuffix(y));
  return suffix === 0 || x.slice(-suffix) === y.slice(-suffix);
}

/** Length of what follows the last wildcard. */
function plainSuffix(segment: string): number {
  for (let i = segment.length - 1; i >= 0; i--) if (WILD.test(segment[i] ?? "")) return segment.length - 1 - i;
  return segment.length;
}
