/**
 * What killed processes left beside a lock file: temporary files, and inner locks of takeovers.
 *
 * An inner lock `<path>.<key>` matters only while some lock file of the family bears `key`; a key that
 * nobody bears never returns (LOCK-2), so a dead holder's inner lock of such a key can go.
 */
import { basename, dirname, join } from "node:path";
import { livenessOfHolder, look, remove, type Seen } from "./lock-file.ts";
import { ageOf, ownNames } from "./regular-file.ts";

const MOST_FILES = 1000;
/** A temporary file without a readable holder is left alone while it may still be in the making. */
const YOUNG_MS = 60_000;

/** `<nonce>` or `g-<inode>-<time>`, as lock-file.ts makes them. */
const INNER = /^[0-9a-z]{1,12}-[0-9a-z]{1,16}-[0-9a-z]{8,10}$/;
const TEMPORARY = /^([0-9a-z-]{12,40}\.)?[0-9a-z]{1,7}-[0-9a-z]{8,9}-[0-9a-z]{10}\.tmp$/;

/** Removes leftovers of dead processes of the lock at `path`: same folder, our name patterns only, bounded. Never fails. */
export function sweepLockLeftovers(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const suffixes = ownNames(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  const fileOf = (suffix: string): string => join(folder, prefix + suffix);
  for (const suffix of suffixes.filter((s) => TEMPORARY.test(s)).slice(0, MOST_FILES)) {
    if (isDead(fileOf(suffix), look(fileOf(suffix)))) remove(fileOf(suffix));
  }
  const inner = suffixes.filter((s) => INNER.test(s)).map((suffix) => ({ suffix, seen: look(fileOf(suffix)) }));
  const borne = new Set([look(path), ...inner.map(({ seen }) => seen)].map(keyOf));
  for (const { suffix, seen } of inner) {
    if (!borne.has(suffix) && isDead(fileOf(suffix), seen)) remove(fileOf(suffix));
  }
}

function isDead(file: string, seen: Seen): boolean {
  if (seen.kind === "held") return livenessOfHolder(file, seen.holder) === "dead";
  return seen.kind === "garbage" && ageOf(file) > YOUNG_MS;
}

function keyOf(seen: Seen): string {
  return "key" in seen ? seen.key : "";
}
