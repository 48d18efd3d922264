/** Where a value is in the file. */
import type { StateDocument } from "./document.ts";
import { content, type MappingNode, type Node, placeOf, valueUnder } from "./node.ts";

/**
 * The 1-based place of the value at a path of keys and indices, such as `["atoms", 3, "status"]`; a path that leads
 * past what is written leads to its nearest ancestor. Undefined: not even the first key is there.
 */
export function locate(
  document: Pick<StateDocument, "text" | "root">,
  path: readonly (string | number)[],
): { line: number; column: number } | undefined {
  const at = offsetOf(document.root, path);
  return at === undefined ? undefined : placeOf(document.text, at);
}

/** The offset of the value at a path; see `locate`. */
export function offsetOf(root: MappingNode, path: readonly (string | number)[]): number | undefined {
  let here: Node = root;
  let at: number | undefined;
  for (const step of path) {
    const next = child(here, step);
    if (next === undefined) break;
    here = next;
    at = next.start;
  }
  return at;
}

function child(node: Node, step: string | number): Node | undefined {
  const here = content(node);
  if (here.kind === "sequence" && typeof step === "number") return step < here.size ? here.item(step) : undefined;
  return here.kind === "mapping" ? valueUnder(here, String(step)) : undefined;
}
