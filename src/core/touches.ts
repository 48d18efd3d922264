/**
 * Whether two atoms may change the same file, judged by their globs (SPEC section 5). Errs on the side
 * of "yes": a wrong yes costs a little parallelism, a wrong no a merge conflict.
 */

export function overlap(left: readonly string[], right: readonly string[]): boolean {
  return left.some((a) => right.some((b) => globsMeet(segmentsOf(a), segmentsOf(b))));
}

/** The folders of a glob. What is not known folder by folder is taken for "anything". */
function segmentsOf(glob: string): readonly string[] {
  if (glob.startsWith("!")) return ["**"];
  const segments: string[] = [];
  for (const segment of glob.replaceAll("\\", "/").split("/")) {
    if (segment === "" || segment === ".") continue;
    if (reachesBeyond(segment)) return [...segments, "**"];
    segments.push(segment);
  }
  // A folder stands for everything in it.
  return glob.endsWith("/") ? [...segments, "**"] : segments;
}

const PAIRS = ["{}", "()", "[]"] as const;

/** A segment that may match more than one folder: an alternative with a slash in it, `**` inside of one, `!(...)`. */
function reachesBeyond(segment: string): boolean {
  if (segment.includes("!(") || (segment !== "**" && segment.includes("**"))) return true;
  return PAIRS.some(([open = "", close = ""]) => segment.split(open).length !== segment.split(close).length);
}

/** Dynamic over the places in both: a `**` tried at every place would be exponential. */
function globsMeet(a: readonly string[], b: readonly string[]): boolean {
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j--) {
      const x = a[i];
      const y = b[j];
      if (x === undefined) row[j] = y === undefined || endsAsFolder(a) || (y === "**" && row[j + 1] === true);
      else if (y === undefined) row[j] = endsAsFolder(b) || (x === "**" && below[j] === true);
      else if (x === "**" || y === "**") row[j] = below[j] === true || row[j + 1] === true;
      else row[j] = segmentsMeet(x, y) && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

/** Whether a path that ends here may go on: a folder and something in it. A name with a dot is a file's. */
function endsAsFolder(segments: readonly string[]): boolean {
  return segments.at(-1)?.includes(".") !== true;
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
