/**
 * Which files of a scope are in a judge's prompt, and how much of each (SPEC section 6, bounded context).
 *
 * The rule: files that the check names, then those of its scope in the order of their names. All of them whole where they fit in MATERIAL_LIMIT. Else each gets the same
 * share; what a small file leaves goes to the larger ones, a file is cut at the end of a line, and when a share would be
 * less than LEAST_SHARE the last files are left out. Whatever is not shown is reported (`Material`).
 */
import { createHash } from "node:crypto";
import type { ChangedText } from "../../loop/new-lines.ts";
import { MATERIAL_LIMIT } from "../../loop/prompt.ts";
import type { Material, ShownFile } from "../../loop/prompt-material.ts";
import { fairShare } from "../../loop/prompt-text.ts";
import { inScope, type CheckoutFiles } from "./checkout-files.ts";

/** Characters of a file below which showing it says nothing. */
const LEAST_SHARE = 800;
/** Characters for a file's fence and name, and for what is said of those that are left out. */
const FRAME_LENGTH = 160;
const RESERVED_LENGTH = 22_000;
/** A line's number, its mark, and what parts it from the line. */
const LINE_NUMBER_LENGTH = 9;
const LONGEST_NAME = 300;

export type Gathered =
  | { readonly ok: true; readonly material: Material }
  | { readonly ok: false; readonly why: string };

/** @param scope undefined: none. @param named shown, too. @param changes since the goal was agreed; undefined: not known */
export async function gatherMaterial(
  files: CheckoutFiles,
  { scope, named }: { readonly scope: string | undefined; readonly named: readonly string[] },
  changes?: readonly ChangedText[],
): Promise<Gathered> {
  const wanted = scope === undefined ? [] : inScope(files.paths, scope);
  if (scope !== undefined && wanted.length === 0) return { ok: false, why: `the scope ${scope} names no file` };
  const paths = [...new Set([...named, ...wanted])];
  const readable: { path: string; lines: readonly string[]; size: number }[] = [];
  const omitted: { path: string; why: string }[] = [];
  const budget = MATERIAL_LIMIT - RESERVED_LENGTH;
  const most = Math.floor(budget / LEAST_SHARE);
  for (const path of paths) {
    const read = readable.length < most ? await readNamed(files, path) : null;
    if (read === null) omitted.push({ path, why: "no room" });
    else if (!read.ok) omitted.push({ path, why: read.why });
    else readable.push(measured(path, read.text));
  }
  const share = fairShare(
    readable.map((file) => file.size),
    budget,
  );
  const shown = readable.map((file): ShownFile => ({
    path: file.path,
    lines: firstLines(file.lines, share - frameOf(file.path)),
    total: file.lines.length,
    ...(changes === undefined ? {} : { fresh: freshIn(changes, file.path) }),
  }));
  const known = { files: shown, omitted, ...(changes === undefined ? {} : { changes }) };
  return { ok: true, material: { token: tokenFor(known), ...known } };
}

function freshIn(changes: readonly ChangedText[], path: string): ReadonlySet<number> {
  return new Set(changes.find((change) => change.path === path)?.lines ?? []);
}

async function readNamed(files: CheckoutFiles, path: string): ReturnType<CheckoutFiles["read"]> {
  return path.length > LONGEST_NAME ? { ok: false, why: "its name is too long" } : await files.read(path);
}

function measured(path: string, text: string): { path: string; lines: readonly string[]; size: number } {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return { path, lines, size: frameOf(path) + lines.reduce((sum, line) => sum + line.length + LINE_NUMBER_LENGTH, 0) };
}

function frameOf(path: string): number {
  return FRAME_LENGTH + JSON.stringify(path).length;
}

function firstLines(lines: readonly string[], room: number): readonly string[] {
  let used = 0;
  const end = lines.findIndex((line) => (used += line.length + LINE_NUMBER_LENGTH) > room);
  return end === -1 ? lines : lines.slice(0, end);
}

/** PROMPT-MATERIAL-1: the same for the same files, and not to be written into one of them. */
function tokenFor(known: Omit<Material, "token">): string {
  const text = JSON.stringify(known);
  for (let salt = 0; ; salt++) {
    const token = createHash("sha256").update(`${salt}\n${text}`).digest("hex").slice(0, 16);
    if (!text.includes(token)) return token;
  }
}
