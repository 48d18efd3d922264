/**
 * Components as text that is valid HTML and XML. Components without hooks only: nothing is drawn a second time. Pure.
 */
import type { ComponentChildren, VNode } from "preact";
import { visible } from "./words.ts";

/** What XML 1.0 cannot hold, escaped or not, becomes a question mark: programs print what they like. */
const UNHOLDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Elements of HTML that have no end tag. */
const VOID: ReadonlySet<string> = new Set(["br", "meta"]);
/** Attributes that components name as the browser's objects do. */
const NAMES: Readonly<Record<string, string>> = { tabIndex: "tabindex", dateTime: "datetime" };

/** Whatever people and programs wrote, nothing of it is taken for markup. */
export function markupOf(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(markupOf).join("");
  if (typeof node !== "object") return markupText(String(node));
  const { type, props } = node as VNode<Props>;
  if (typeof type === "function") return markupOf((type as (props: Props) => ComponentChildren)(props));
  const { children, dangerouslySetInnerHTML: raw, ...rest } = props;
  const attributes = Object.entries(rest).map(([name, value]) => attributeOf(name, value));
  const start = `<${type}${attributes.join("")}`;
  if (VOID.has(type)) return `${start}/>`;
  return `${start}>${raw === undefined ? markupOf(children) : raw.__html}</${type}>`;
}

interface Props {
  readonly children?: ComponentChildren;
  readonly dangerouslySetInnerHTML?: { readonly __html: string };
  readonly [name: string]: unknown;
}

function attributeOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === false || typeof value === "function" || name === "key")
    return "";
  const text = value === true ? "" : typeof value === "object" ? styleOf(value) : String(value);
  return ` ${NAMES[name] ?? name}="${markupAttribute(text)}"`;
}

function styleOf(rules: object): string {
  return Object.entries(rules)
    .map(([name, value]) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`)
    .join(";");
}

/** As the value of an attribute, between double quotes. */
function markupAttribute(value: string): string {
  return markupText(value)
    .replaceAll('"', "&quot;")
    .replaceAll(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`);
}

/** As the content of an element. */
function markupText(text: string): string {
  return visible(text)
    .replaceAll(UNHOLDABLE, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
