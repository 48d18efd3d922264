/** A JSON value as a source tree, so that what comes in a message is read by the same types as what stands in a file. */
import { wellFormed } from "../core/reading.ts";
import { type ContentNode, type Entry, nodeMapping, nodeSequence, type Scalar } from "./node.ts";

/** @param value nested no deeper than `shallow` allows (core/reading.ts). @returns the tree, and its text: the value as JSON */
export function valueTree(value: unknown): { readonly root: ContentNode; readonly text: string } {
  let text = "";
  const put = (one: unknown): ContentNode => {
    const start = text.length;
    if (Array.isArray(one)) {
      text += "[";
      const items = Array.from(one, (item: unknown, i) => ((text += i === 0 ? "" : ","), put(item)));
      text += "]";
      return nodeSequence({ start, end: text.length }, true, items);
    }
    if (typeof one === "object" && one !== null) {
      text += "{";
      const entries: Entry[] = [];
      for (const [name, child] of Object.entries(one)) {
        if (child === undefined) continue;
        if (entries.length > 0) text += ",";
        const from = text.length;
        text += JSON.stringify(name);
        const keyEnd = text.length;
        text += ":";
        const node = put(child);
        entries.push({ name, start: from, keyEnd, end: text.length, value: node });
      }
      text += "}";
      return nodeMapping({ start, end: text.length }, true, entries);
    }
    const scalar = scalarOf(one);
    text += JSON.stringify(scalar);
    return { kind: "scalar", style: "quoted", value: scalar, start, end: text.length };
  };
  const root = put(value);
  return { root, text };
}

/** What JSON cannot say is nothing. */
function scalarOf(value: unknown): Scalar {
  if (typeof value === "string") return wellFormed(value);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
