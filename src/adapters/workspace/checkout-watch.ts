/**
 * What changed in the person's checkout during the run. It is said, and decides nothing: the verdict is of a commit, in a clone.
 * Only what checks read there all the same (reached-files.ts) keeps a verdict from being true (SPEC section 6).
 *
 * CHECKOUT-WATCH-1 where a check can read there, the print is the first run's, and a later run's only when nothing differed at the
 *    end of the one before, or it verified, or a person accepted the checkout as it is: no second command makes a change unseen;
 * CHECKOUT-WATCH-2 a file that is as in the commit that HEAD named then has not changed;
 * CHECKOUT-WATCH-3 no file of any loop counts.
 */
import { join } from "node:path";
import { removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { readOwnFile } from "../../host/regular-file.ts";
import { differingPaths, printOf, type Print, type Printed } from "./checkout-print.ts";
import { entriesIn } from "./commit-files.ts";
import { LITERAL, textOf, type Git } from "./git.ts";

export interface CheckoutWatch {
  /** The print is that of an earlier run. */
  readonly earlier: boolean;
  /** How files come out of git was changed since the print was taken. */
  readonly resettled: boolean;
  /** Paths from the top folder, as a person reads them. */
  changes(): Promise<readonly string[]>;
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
  /** What decides how files come out of git, as it is now: that of a clone is taken when a run begins. */
  readonly deciding: string;
  /** A check can read there. */
  readonly reachable: boolean;
  /** A human's decision: the checkout as it is now. */
  readonly accept: boolean;
}

interface Kept {
  readonly head: string;
  readonly deciding: string;
  readonly print: Print;
}

/** CHECKOUT-WATCH-1. Takes the print, or goes on with the one that is kept. */
export async function watchCheckout(watched: Watched): Promise<CheckoutWatch> {
  const file = join(watched.dir, "checkout.json");
  const known = watched.reachable && !watched.accept ? readKept(file, watched.loop) : null;
  const { head, deciding } = watched;
  const kept = known ?? { head, deciding, print: await printOf(watched) };
  if (watched.reachable && known === null) writeKept(file, watched.loop, kept);
  return {
    earlier: known !== null,
    resettled: kept.deciding !== deciding,
    changes: () => changesSince(watched, kept),
    forget: () => removeOwnFile(file),
  };
}

async function changesSince(watched: Watched, { head, print }: Kept): Promise<readonly string[]> {
  const now = await printOf(watched);
  const paths = differingPaths(print, now);
  if (paths.length === 0) return [];
  const same = await asCommitted(watched.git, head, paths, now);
  return paths
    .filter((path) => !same.has(path))
    .map(textOf)
    .toSorted();
}

/** More are not looked at one by one: so many are no accident. */
const MOST_COMPARED = 1_000;

/** CHECKOUT-WATCH-2. */
async function asCommitted(
  git: Git,
  head: string,
  paths: readonly string[],
  print: Print,
): Promise<ReadonlySet<string>> {
  if (paths.length > MOST_COMPARED) return new Set();
  const listed = await git.run(["ls-tree", "-z", "--full-tree", head, "--", ...paths.map(textOf)], { env: LITERAL });
  const entries = [...entriesIn(listed.stdout)].filter(
    ([path, { mode }]) => mode === modeIn(print, path) && !path.includes("\n"),
  );
  const input = entries.map(([path]) => `${path}\n`).join("");
  const now = (await git.run(["hash-object", "--stdin-paths"], { input })).stdout.split("\n");
  return new Set(entries.flatMap(([path, { oid }], at) => (now[at] === oid ? [path] : [])));
}

/** By its line of a print; empty: it is no file. */
function modeIn(print: Print, path: string): string {
  const mode = Number(print.get(path)?.split(" ")[0]);
  if ((mode & 0o170000) !== 0o100000) return "";
  return (mode & 0o100) === 0 ? "100644" : "100755";
}

/** Bytes: some hundred for each file of the checkout. */
const MOST_BYTES = 512 * 1024 * 1024;

function writeKept(file: string, loop: string, { print, ...kept }: Kept): void {
  const written = writeOwnFile(file, JSON.stringify({ ...kept, loop, print: [...print] }));
  if (!written.ok) throw new Error(written.message);
}

/** Null: there is none of this loop. */
function readKept(file: string, loop: string): Kept | null {
  const text = readOwnFile(file, MOST_BYTES);
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const { head, deciding, print } = value ?? {};
    if (value?.["loop"] !== loop || typeof head !== "string" || typeof deciding !== "string" || !isPairs(print))
      return null;
    return { head, deciding, print: new Map(print) };
  } catch {
    // Half-written by a run that died at its start: no agent had begun.
    return null;
  }
}

function isPairs(value: unknown): value is readonly (readonly [string, string])[] {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2);
}
