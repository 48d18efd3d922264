/**
 * A strict reader of XML, and of HTML as this program writes it: what is not well-formed throws. No entities but the
 * five and numbers, no CDATA, no comments.
 */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}

const TOKEN =
  /<\?xml[^?]*\?>|<!doctype html>|<(\/?)([A-Za-z][\w-]*)((?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(\/?)>|[^<]+/gy;
const ATTRIBUTE = /([A-Za-z][\w:-]*)="([^"<]*)"/g;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d+));|&/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const UNHOLDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** HTML elements that have no end tag. */
const VOID = new Set(["meta"]);

export function readMarkup(text: string): Element {
  if (UNHOLDABLE.test(text)) throw new Error("a character that XML cannot hold");
  const root: { name: string; attributes: Record<string, string>; children: (Element | string)[] } = {
    name: "",
    attributes: {},
    children: [],
  };
  const open = [root];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (found === null) throw new Error(`not well-formed here: ${text.slice(at, at + 80)}`);
    const [whole, end, name, attributes = "", empty] = found;
    const parent = open.at(-1) ?? root;
    if (name === undefined) {
      if (!whole.startsWith("<")) parent.children.push(decoded(whole));
    } else if (end === "/") {
      if (open.length === 1 || parent.name !== name) throw new Error(`</${name}> ends <${parent.name}>`);
      open.pop();
    } else {
      const element = { name, attributes: attributesOf(attributes), children: [] };
      parent.children.push(element);
      if (empty !== "/" && !VOID.has(name)) open.push(element);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> has no end`);
  const elements = root.children.filter((child) => typeof child !== "string");
  const [only, ...more] = elements;
  if (only === undefined || more.length > 0) throw new Error(`${elements.length} root elements`);
  return only;
}

/** Every element of that name, in the order of the text. */
export function elementsOf(root: Element, name: string): readonly Element[] {
  const below = root.children.flatMap((child) => (typeof child === "string" ? [] : elementsOf(child, name)));
  return root.name === name ? [root, ...below] : below;
}

/** All text in it. */
export function textOf(element: Element): string {
  return element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(ATTRIBUTE)) {
    if (Object.hasOwn(attributes, name)) throw new Error(`${name} stands twice`);
    attributes[name] = decoded(value);
  }
  return attributes;
}

function decoded(text: string): string {
  return text.replaceAll(ENTITY, (whole, name: string | undefined, number: string | undefined) => {
    if (whole === "&") throw new Error(`a bare & in: ${text.slice(0, 80)}`);
    return name === undefined ? String.fromCodePoint(Number(number)) : (ENTITIES[name] ?? "");
  });
}
