/** Puts a new value in the place of an old one, wherever and in whatever style that was written. */
import {
  behindColon,
  insertLines,
  isShown,
  lineAfter,
  lineStart,
  type Patch,
  refuse,
  refuseUnbroken,
  replace,
  startsLine,
  trimBack,
  WRITE_OUT,
} from "./edits.ts";
import type { Entry, Node, ScalarNode } from "./node.ts";
import type { Path } from "./problems.ts";
import { isBlock, renderBlock, renderInline } from "./render.ts";
import type { Type } from "./field-types.ts";

/** @param flow whether the entry is in braces; `indent`: column of its key */
export function assignEntry(
  patch: Patch,
  entry: Entry,
  {
    type,
    value,
    flow,
    path,
  }: { readonly type: Type; readonly value: unknown; readonly flow: boolean; readonly path: Path },
): void {
  const { text } = patch;
  const old = entry.value;
  if (!mayGo(patch, old, path)) return;
  if (flow || !isBlock(type, value)) return assignInline(patch, entry, renderInline(type, value), path);
  const indent = entry.start - lineStart(text, entry.start);
  const lines = renderBlock(type, value, indent + 2);
  if (isBlockCollection(old)) {
    if (!startsLine(text, old.start)) return refuseUnbroken(patch, old.start, path);
    replace(
      patch,
      lineStart(text, old.start),
      lineAfter(text, old.end),
      lines.map((line) => line + patch.eol).join(""),
    );
    return;
  }
  if (old.kind === "scalar" && old.block !== undefined) {
    replace(patch, trimBack(text, old.start), old.block.headerEnd, "");
    replace(patch, old.block.contentStart, old.end, "");
    return insertLines(patch, old.block.contentStart, lines);
  }
  replace(patch, trimBack(text, old.start), old.end, "");
  insertLines(patch, lineAfter(text, old.end), lines);
}

/** A scalar item of a list; the text in place of the old one. */
export function assignItem(
  patch: Patch,
  old: Node,
  { type, value, path }: { readonly type: Type; readonly value: unknown; readonly path: Path },
): void {
  if (!mayGo(patch, old, path)) return;
  if (old.kind === "scalar") assignScalar(patch, old, renderInline(type, value), " ");
  else replace(patch, old.start, old.end, renderInline(type, value));
}

function assignInline(patch: Patch, entry: Entry, inline: string, path: Path): void {
  const { text } = patch;
  const old = entry.value;
  if (isBlockCollection(old)) {
    const colon = behindColon(text, entry.keyEnd);
    if (colon === undefined || !startsLine(text, old.start) || /^[ \t]*[&!]/.test(text.slice(colon, old.start)))
      return refuseUnbroken(patch, old.start, path);
    replace(patch, colon, colon, ` ${inline}`);
    return replace(patch, lineStart(text, old.start), lineAfter(text, old.end), "");
  }
  if (old.kind === "scalar")
    assignScalar(patch, old, inline, behindColon(text, entry.keyEnd) === undefined ? ": " : " ");
  else replace(patch, old.start, old.end, inline);
}

function assignScalar(patch: Patch, old: ScalarNode, inline: string, gap: string): void {
  if (old.block !== undefined) {
    replace(patch, old.start, old.block.headerEnd, inline);
    if (old.end > old.block.contentStart) replace(patch, old.block.contentStart, old.end, "");
  } else replace(patch, old.start, old.end, old.style === "empty" ? gap + inline : inline);
}

function isBlockCollection(node: Node): boolean {
  return (node.kind === "mapping" || node.kind === "sequence") && !node.flow;
}

function mayGo(patch: Patch, old: Node, path: Path): boolean {
  if (isShown(old))
    refuse(patch, old.start, path, {
      why: "an alias elsewhere refers to this value",
      hint: WRITE_OUT,
    });
  else if (old.kind !== "alias" && old.lock === "tagged")
    refuse(patch, old.start, path, { why: "it has an explicit tag", hint: "remove the tag" });
  else return true;
  return false;
}
