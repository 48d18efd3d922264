/**
 * Whether the person's checkout changed during the run. A check that looks there (an editable install,
 * a workspace link, an absolute path) does not look at the commit: until somebody has looked, no verdict is true (SPEC section 6).
 *
 * CHECKOUT-WATCH-1 the print is the first run's, and a later run's only when nothing differed at the end of the one
 *    before, or a person accepted the checkout as it is: no second command makes a change unseen;
 * CHECKOUT-WATCH-2 a file that is as in the commit that HEAD named then has not changed, nor one that was not committed
 *    and has the same content (of the first MOST_COMPARED, up to LARGE_BYTES each); where a set-up may link files, which
 *    changes their inodes, those are compared as well;
 * CHECKOUT-WATCH-3 caches that tools write by themselves, and clients' settings and guard rules in `.claude`, are named
 *    and forbid nothing.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { readOwnFile, readRegularFile } from "../../host/regular-file.ts";
import { differingPaths, printOf, type Print, type Printed } from "./checkout-print.ts";
import { convertedBack, entriesIn, statOf, type Listing } from "./commit-files.ts";
import { textOf, type Git } from "./git.ts";

export interface CheckoutChanges {
  /** Paths from the top folder, as a person reads them. */
  readonly changed: readonly string[];
  /** CHECKOUT-WATCH-3. */
  readonly harmless: readonly string[];
}

export interface CheckoutWatch {
  /** The print is that of an earlier run. */
  readonly earlier: boolean;
  changes(): Promise<CheckoutChanges>;
  /** The print is not held against a later run any more. */
  forget(): void;
}

export interface Watched extends Printed {
  /** Works in the top folder. */
  readonly git: Git;
  /** Commit of HEAD. */
  readonly head: string;
  readonly dir: string;
  /** Names the loop: the print of another one says nothing about it. */
  readonly loop: string;
  /** Not committed; a folder ends with a slash. Paths from the top folder. */
  readonly dirty: readonly string[];
  /** A human's decision: the checkout as it is now. */
  readonly accept: boolean;
  /** What a set-up may link: any file, or those that have several names already (packages of a store). */
  readonly linked?: "any" | "shared" | "none";
}

interface Kept {
  readonly head: string;
  readonly print: Print;
  /** SHA-256 of what was not committed, by path. */
  readonly contents: ReadonlyMap<string, string>;
}

/** CHECKOUT-WATCH-1. Takes the print, or goes on with the one that is kept. */
export async function watchCheckout(watched: Watched): Promise<CheckoutWatch> {
  const file = join(watched.dir, "checkout.json");
  const known = watched.accept ? null : readKept(file, watched.loop);
  const kept = known ?? (await takePrint(watched));
  if (known === null) writeKept(file, watched.loop, kept);
  return {
    earlier: known !== null,
    changes: () => changesSince(watched, kept),
    forget: () => removeOwnFile(file),
  };
}

async function takePrint(watched: Watched): Promise<Kept> {
  const print = await printOf(watched);
  const folders = watched.dirty.filter((path) => path.endsWith("/"));
  const files = new Set(watched.dirty);
  const contents = new Map<string, string>();
  const { linked = "none" } = watched;
  for (const path of print.keys()) {
    if (contents.size === (linked === "none" ? MOST_COMPARED : MOST_LINKED)) break;
    const name = textOf(path);
    const isDirty = files.has(name) || folders.some((folder) => name.startsWith(folder));
    if (!isDirty && (linked === "none" || (linked === "shared" && !isShared(watched, path)))) continue;
    const digest = contentOf(watched, path);
    if (digest !== null) contents.set(path, digest);
    if (contents.size % SLICE_FILES === 0) await setImmediate();
  }
  return { head: watched.head, print, contents };
}

function isShared({ root }: Watched, path: string): boolean {
  const stat = statOf(root, path);
  return stat !== null && stat.isFile() && stat.nlink > 1n;
}

/** Files that are read before anything else is let through. */
const SLICE_FILES = 50;
/** What a set-up links is installed, and that is many files. */
const MOST_LINKED = 200_000;

const LARGE_BYTES = 8 * 1024 * 1024;

/** Null: it is not to be read, or it is too large. */
function contentOf({ root }: Watched, path: string): string | null {
  try {
    const { bytes } = readRegularFile(join(root, textOf(path)), LARGE_BYTES);
    return createHash("sha256").update(bytes).digest("hex");
  } catch {
    return null;
  }
}

async function changesSince(watched: Watched, { head, print, contents }: Kept): Promise<CheckoutChanges> {
  const now = await printOf(watched);
  const paths = differingPaths(print, now);
  if (paths.length === 0) return { changed: [], harmless: [] };
  const committed = await committedAt(watched.git, head, paths);
  const kinds = new Map([...committed.keys()].map((path) => [path, { kind: kindIn(now, path) }]));
  const same = new Set(await convertedBack(watched.git, [...committed.keys()], committed, kinds));
  for (const path of paths) {
    const before = contents.get(path);
    if (before !== undefined && before === contentOf(watched, path) && modeIn(print, path) === modeIn(now, path))
      same.add(path);
    if (same.size % SLICE_FILES === 0) await setImmediate();
  }
  const changed: string[] = [];
  const harmless: string[] = [];
  for (const path of paths)
    if (!same.has(path)) (isHarmless(path) && !committed.has(path) ? harmless : changed).push(textOf(path));
  return { changed: changed.toSorted(byName), harmless: harmless.toSorted(byName) };
}

function modeIn(print: Print, path: string): string | undefined {
  return print.get(path)?.split(" ")[0];
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** More are not looked at one by one: so many are no accident. */
const MOST_COMPARED = 1_000;

async function committedAt(git: Git, head: string, paths: readonly string[]): Promise<Listing> {
  if (paths.length > MOST_COMPARED) return new Map();
  const literal = { env: { GIT_LITERAL_PATHSPECS: "1" } };
  const answer = await git.run(["ls-tree", "-z", "--full-tree", head, "--", ...paths.map(textOf)], literal);
  return entriesIn(answer.stdout);
}

/** Of a line of a print. */
function kindIn(print: Print, path: string): "file" | "program" | "none" {
  const mode = Number(modeIn(print, path));
  if ((mode & 0o170000) !== 0o100000) return "none";
  return (mode & 0o100) === 0 ? "file" : "program";
}

/**
 * CHECKOUT-WATCH-3. Bytecode of installed packages is a cache; that of the project says that a check imports it from
 * here.
 */
const HARMLESS: readonly RegExp[] = [
  /(?:^|\/)\.claude\/(?:settings(?:\.local)?\.json|hookify\.[^/]+\.local\.md)$/,
  /(?:^|\/)\.(?:pytest_cache|mypy_cache|ruff_cache|hypothesis|nyc_output|turbo|parcel-cache|gradle)\//,
  /(?:^|\/)node_modules\/\.(?:cache|vite|vite-temp|vitest)\//,
  /(?:^|\/)(?:site|dist)-packages\/(?:.*\/)?__pycache__\//,
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|\.eslintcache|\.coverage|nohup\.out|[^/]+\.(?:log|tsbuildinfo|swp|swo))$/,
];

function isHarmless(path: string): boolean {
  return HARMLESS.some((pattern) => pattern.test(path));
}

/** Bytes: some hundred for each file of the checkout. */
const MOST_BYTES = 512 * 1024 * 1024;

function writeKept(file: string, loop: string, { head, print, contents }: Kept): void {
  const kept = { loop, head, print: [...print], contents: [...contents] };
  const written = writeOwnFile(file, JSON.stringify(kept));
  if (!written.ok) throw new Error(written.message);
}

/** Null: there is none of this loop. */
function readKept(file: string, loop: string): Kept | null {
  const text = readOwnFile(file, MOST_BYTES);
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const { head, print, contents = [] } = value ?? {};
    if (value?.["loop"] !== loop || typeof head !== "string" || !isPairs(print) || !isPairs(contents)) return null;
    return { head, print: new Map(print), contents: new Map(contents) };
  } catch {
    // Half-written by a run that died at its start: no agent had begun.
    return null;
  }
}

function isPairs(value: unknown): value is readonly (readonly [string, string])[] {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2);
}
