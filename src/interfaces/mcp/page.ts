/**
 * What of an answer a model is shown: pages of a long one. Pure.
 *
 * PAGE-1 a document is never longer than it may be, and one that fits is left as it is;
 * PAGE-2 the pages of a list, one after the other, are the list; those of a text are the text.
 */
type Json = Readonly<Record<string, unknown>>;

/** Items of a list that one page shows. */
const MOST_ITEMS = 25;
/** Characters of a text inside of a document. */
const LONGEST_TEXT = 1_000;

/**
 * @param most characters of the JSON
 * @param page from 1: of each list; texts, and lists inside of a list's items, keep their beginning
 * @returns what was left out is named in `page`
 */
export function pageOfDocument(document: Json, most: number, page: number): Json {
  if (JSON.stringify(document).length <= most) return document;
  const lists: Record<string, number> = {};
  const shown = cut(document, "", (path, length, inside) => {
    lists[path] = Math.max(lists[path] ?? 0, length);
    return inside ? 0 : (page - 1) * MOST_ITEMS;
  });
  const of = Math.max(1, ...Object.values(lists).map((length) => Math.ceil(length / MOST_ITEMS)));
  const about = { number: page, of, lists };
  const whole: Record<string, unknown> = { ...Object(shown), page: about };
  // What is still too long goes, the longest first.
  for (const key of Object.keys(whole).toSorted((a, b) => sizeOf(whole[b]) - sizeOf(whole[a]))) {
    if (sizeOf(whole) <= most) break;
    if (key !== "page") delete whole[key];
  }
  return sizeOf(whole) <= most ? whole : { page: { number: page, of } };
}

/** @param most characters; one that is longer says which page it is */
export function pageOfText(text: string, most: number, page: number): string {
  if (text.length <= most) return text;
  const of = Math.ceil(text.length / most);
  return `${part(text, (page - 1) * most, page * most)}\n[page ${page} of ${of}]`;
}

/** Of a character of two units both are in the part before. */
function part(text: string, from: number, to: number): string {
  const at = (index: number): number => (/[\uDC00-\uDFFF]/.test(text.charAt(index)) ? index + 1 : index);
  return text.slice(at(from), at(to));
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/** @param from where the page of a list begins; asked for those that are too long */
function cut(
  value: unknown,
  path: string,
  from: (path: string, length: number, inside: boolean) => number,
  inside = false,
): unknown {
  if (typeof value === "string") return value.length > LONGEST_TEXT ? `${part(value, 0, LONGEST_TEXT)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  // A document's own keys are no list.
  const start = entries.length > MOST_ITEMS && path !== "" ? from(path, entries.length, inside) : 0;
  const kept = path === "" ? entries : entries.slice(start, start + MOST_ITEMS);
  const items = kept.map(([key, item]): [string, unknown] => [
    key,
    cut(item, isList ? path : path === "" ? key : `${path}.${key}`, from, inside || isList),
  ]);
  return isList ? items.map(([, item]) => item) : Object.fromEntries(items);
}
