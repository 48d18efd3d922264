/** Parts of a `loop.json` that phases and gates have in common (see read-definition.ts). */
import { nearest } from "../../core/nearest.ts";
import { under, type JsonNode, type ObjectNode } from "../../core/json-tree.ts";
import { named, type Path, type TreeReader } from "./tree-reader.ts";

/** The items under a key; none where it is absent or null. */
export function listIn(object: ObjectNode, key: string, path: Path, reader: TreeReader): readonly JsonNode[] {
  const node = under(object, key);
  return node === undefined || isNull(node) ? [] : (reader.list(node, [...path, key]) ?? []);
}

export function trueUnlessSaid(object: ObjectNode, key: string, path: Path, reader: TreeReader): boolean {
  const node = under(object, key);
  if (node !== undefined && !isNull(node)) return reader.truth(node, [...path, key]) ?? true;
  assume(reader, { at: node ?? object, path: [...path, key], found: node }, "true");
  return true;
}

/** The first of the keys that holds a text which is not empty. */
export function firstText(object: ObjectNode, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const node = under(object, key);
    if (node?.kind === "scalar" && typeof node.value === "string" && node.value.trim() !== "") return node.value;
  }
  return undefined;
}

/** READ-DEFINITION-2. @param known what would be understood, where that is a few words */
export function assume(
  reader: TreeReader,
  { at, path, found }: { readonly at: JsonNode; readonly path: Path; readonly found: JsonNode | undefined },
  value: string,
  known: readonly string[] = [],
): void {
  const words = known.length === 0 ? "" : `: one of ${known.join(", ")}`;
  reader.warn(found === undefined ? "missing_field" : "unknown_value", at, path, {
    message: `${named(path)} ${found === undefined ? "is missing" : "is not understood"}: ${value} is assumed`,
    hint: `write it down if it is something else${words}`,
  });
}

export function isNull(node: JsonNode): boolean {
  return node.kind === "scalar" && node.value === null;
}

/** What decides about a phase or a gate looks like this: passing over it would drop somebody's gate or check. */
const DECIDING_KEY = /gate|approv|deliverabl|check|criteri|guarantee|accept|verif/i;

/** READ-DEFINITION-3. @param known the keys that are read here */
export function refuseUnknown(object: ObjectNode, known: readonly string[], path: Path, reader: TreeReader): void {
  for (const { key, value } of object.entries) {
    if (known.includes(key) || !DECIDING_KEY.test(key) || isEmpty(value)) continue;
    const at = [...path, key];
    reader.report("unknown_value", value, at, {
      message: `${named(at)} is not understood, and looks like something that decides`,
      hint: `${nearest(
        key,
        known.filter((one) => DECIDING_KEY.test(one)),
      )}; what is only a note belongs below "metadata"`,
    });
  }
}

function isEmpty(node: JsonNode): boolean {
  return node.kind === "list" ? node.items.length === 0 : isNull(node);
}

/**
 * Files that have to be there. One that is outside of the project is refused.
 * @param key where they are listed
 */
export function deliverablesIn(object: ObjectNode, key: string, path: Path, reader: TreeReader): readonly string[] {
  return listIn(object, key, path, reader).flatMap((item, index) => {
    const at = [...path, key, index];
    const file = item.kind === "object" ? firstText(item, ["file", "path", "name", "id"]) : undefined;
    const value = file ?? reader.text(item, at);
    if (value === undefined) return [];
    if (!leavesProject(value)) return [value];
    reader.report("unknown_value", item, at, {
      message: `${named(at)} is outside of the project: ${value}`,
      hint: "name a file in the project, relative to its folder",
    });
    return [];
  });
}

/** Whether a path that is relative to the project's folder leads out of it. */
export function leavesProject(path: string): boolean {
  if (/^(?:[\\/~]|[A-Za-z]:)/.test(path)) return true;
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

/** A description, not a file: `needs analysis`. */
export function isProse(deliverable: string): boolean {
  return /\s/.test(deliverable.trim()) && !/[./\\*]/.test(deliverable);
}

/** No two of them have the same text under the key. @param what they are: "phases" */
export function noneTwice(
  items: readonly { readonly node: JsonNode; readonly path: Path }[],
  key: "name" | "id",
  what: string,
  reader: TreeReader,
): void {
  const first = new Map<string, Path>();
  for (const { node, path } of items) {
    const there = node.kind === "object" ? under(node, key) : undefined;
    if (there?.kind !== "scalar" || typeof there.value !== "string") continue;
    const earlier = first.get(there.value);
    if (earlier === undefined) first.set(there.value, path);
    else
      reader.report("duplicate_id", there, [...path, key], {
        message: `two ${what} are called ${JSON.stringify(there.value)}: ${named(earlier)} and ${named(path)}`,
        hint: `give each ${what.slice(0, -1)} a name of its own`,
      });
  }
}
