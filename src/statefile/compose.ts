/**
 * js-yaml's parser events to the source tree.
 *
 * COMPOSE-1 an alias shows its target's node; the target is locked as shared, since an edit would show twice;
 * COMPOSE-2 an anchor is known only behind its node: no value contains itself;
 * COMPOSE-3 a key is once in its mapping;
 * COMPOSE-4 the tree stays small when its aliases are followed.
 */
import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import {
  content,
  type ContentNode,
  type Entry,
  type MappingNode,
  type Node,
  type Range,
  type Scalar,
  skipBlank,
} from "./node.ts";
import type { Finding } from "./problems.ts";
import { blockScalar, resolvePlain, resolveTagged } from "./scalar.ts";

/** Nodes that a text may stand for once its aliases are followed (COMPOSE-4). */
const MAX_NODES = 4_000_000;

interface Frame {
  readonly kind: "document" | "sequence" | "mapping";
  readonly flow: boolean;
  readonly start: number;
  readonly anchor: string | undefined;
  readonly tagged: boolean;
  readonly items: Node[];
  readonly entries: Entry[];
  readonly names: Set<string>;
  /** The key whose value comes next. */
  key:
    | { readonly name: string | null; readonly merge: boolean; readonly start: number; readonly end: number }
    | undefined;
  readonly merges: MappingNode[];
  end: number;
  size: number;
}

interface Composer {
  readonly text: string;
  /** The frontmatter alone: the events' offsets count from its start. */
  readonly source: string;
  readonly range: Range;
  readonly frames: Frame[];
  readonly anchors: Map<string, { readonly node: ContentNode; readonly size: number }>;
  documents: number;
  finding: Finding | undefined;
}

const ABSENT = -1;

/** The root node of the one document that the events describe, or what forbids it. */
export function compose(
  text: string,
  range: Range,
  events: readonly Event[],
): { readonly root: ContentNode } | { readonly finding: Finding } {
  const composer: Composer = {
    text,
    source: text.slice(range.start, range.end),
    range,
    frames: [],
    anchors: new Map(),
    documents: 0,
    finding: undefined,
  };
  const document = frame("document", false, range.start, { anchor: undefined, tagged: false });
  composer.frames.push(document);
  for (const event of events) {
    take(composer, event);
    if (composer.finding !== undefined) return { finding: composer.finding };
  }
  const [root] = document.items;
  if (root === undefined)
    return {
      finding: {
        code: "missing_field",
        message: "the frontmatter is empty",
        at: range.start,
        hint: "it needs objective, control and atoms",
      },
    };
  return { root: content(root) };
}

function frame(
  kind: Frame["kind"],
  flow: boolean,
  start: number,
  { anchor, tagged }: { readonly anchor: string | undefined; readonly tagged: boolean },
): Frame {
  return {
    kind,
    flow,
    start,
    anchor,
    tagged,
    items: [],
    entries: [],
    names: new Set(),
    key: undefined,
    merges: [],
    end: start,
    size: 1,
  };
}

function take(composer: Composer, event: Event): void {
  const { text, range, frames } = composer;
  switch (event.type) {
    case EVENT_ID.DOCUMENT:
      composer.documents++;
      if (composer.documents > 1)
        fail(
          composer,
          "the frontmatter holds more than one YAML document",
          skipBlank(text, top(composer).end),
          "remove the extra `---` or `...`",
        );
      return;
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      frames.push(
        frame(event.type === EVENT_ID.SEQUENCE ? "sequence" : "mapping", event.style === 2, event.start + range.start, {
          anchor: anchorOf(composer, event),
          tagged: event.tagStart !== ABSENT,
        }),
      );
      return;
    case EVENT_ID.SCALAR: {
      // Keys are names: `1:` and `null:` are called "1" and "null".
      const name = getScalarValue(composer.source, event);
      const node = scalarNode(composer, event, name);
      if (node !== undefined) settle(composer, node, 1, { anchor: anchorOf(composer, event), name });
      return;
    }
    case EVENT_ID.ALIAS: {
      const name = text.slice(event.anchorStart + range.start, event.anchorEnd + range.start);
      const known = composer.anchors.get(name);
      if (known === undefined)
        fail(
          composer,
          `the alias *${name} has no anchor before it`,
          event.anchorStart + range.start - 1,
          `put &${name} in front of the value that it refers to`,
        );
      else {
        known.node.lock = "shared";
        settle(
          composer,
          {
            kind: "alias",
            start: event.anchorStart + range.start - 1,
            end: event.anchorEnd + range.start,
            target: known.node,
          },
          known.size,
          { anchor: undefined, name: aliasKey(known.node) },
        );
      }
      return;
    }
    default:
      if (frames.length > 1) close(composer);
  }
}

function top(composer: Composer): Frame {
  return composer.frames[composer.frames.length - 1] as Frame;
}

function fail(composer: Composer, message: string, at: number, hint: string): void {
  composer.finding ??= { code: "yaml_syntax", message, at, hint };
}

function anchorOf(
  { text, range }: Composer,
  event: { readonly anchorStart: number; readonly anchorEnd: number },
): string | undefined {
  return event.anchorStart === ABSENT
    ? undefined
    : text.slice(event.anchorStart + range.start, event.anchorEnd + range.start);
}

function scalarNode(composer: Composer, event: ScalarEvent, source: string): ContentNode | undefined {
  const { text, range } = composer;
  const propsEnd = Math.max(event.anchorEnd, event.tagEnd);
  const origin = propsEnd === ABSENT ? () => originOf(composer) : () => propsEnd + range.start;
  const lock = event.tagStart === ABSENT ? {} : { lock: "tagged" as const };
  const value = scalarValue(composer, event, source);
  if (value === undefined) {
    fail(
      composer,
      "the value does not fit its tag",
      event.tagStart + range.start,
      "remove the tag, or write a value of that kind",
    );
    return undefined;
  }
  if (event.valueStart === ABSENT)
    return { kind: "scalar", style: "empty", value, start: origin(), end: origin(), ...lock };
  const start = event.valueStart + range.start;
  const end = event.valueEnd + range.start;
  if (event.style === SCALAR_STYLE.PLAIN) return { kind: "scalar", style: "plain", value, start, end, ...lock };
  if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK)
    return { ...blockScalar(text, origin(), { contentStart: start, contentEnd: end }, event), value, ...lock };
  return { kind: "scalar", style: "quoted", value, start: start - 1, end: end + 1, ...lock };
}

function scalarValue({ text, range }: Composer, event: ScalarEvent, source: string): Scalar | undefined {
  if (event.tagStart !== ABSENT)
    return resolveTagged(source, text.slice(event.tagStart + range.start, event.tagEnd + range.start));
  return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(source) : source;
}

function aliasKey(node: ContentNode): string | null {
  return node.kind === "scalar" ? String(node.value) : null;
}

/** The offset right behind the indicator (`-`, `:`, `?`) that the next node of the open collection follows. */
function originOf(composer: Composer): number {
  const { text } = composer;
  const open = top(composer);
  if (open.kind === "document" || (open.kind === "sequence" && open.flow)) return open.end;
  const next = skipBlank(text, open.key?.end ?? open.end);
  const mark = text[next];
  if (open.kind === "sequence") return mark === "-" ? next + 1 : open.end;
  if (open.key !== undefined) return mark === ":" ? next + 1 : open.key.end;
  return mark === "?" ? next + 1 : next;
}

/** Puts a finished node where it belongs. */
function settle(
  composer: Composer,
  node: Node,
  size: number,
  { anchor, name }: { readonly anchor: string | undefined; readonly name: string | null },
): void {
  const open = top(composer);
  open.size += size;
  if (open.size > MAX_NODES)
    composer.finding = {
      code: "too_deep",
      message: "the aliases refer to too many values",
      at: node.start,
      hint: "write the values out, without nesting aliases in one another",
    };
  if (anchor !== undefined && node.kind !== "alias") composer.anchors.set(anchor, { node, size });
  open.end = Math.max(open.end, node.end);
  if (open.kind !== "mapping") open.items.push(node);
  else if (open.key === undefined) openKey(composer, open, node, name);
  else {
    if (open.key.merge) merge(open.merges, content(node));
    open.entries.push({ name: open.key.name, start: open.key.start, keyEnd: open.key.end, value: node, end: open.end });
    open.key = undefined;
  }
}

function openKey(composer: Composer, open: Frame, node: Node, name: string | null): void {
  if (name !== null && open.names.has(name))
    fail(composer, `the key ${name} is defined twice in the same mapping`, node.start, "keep one of the two");
  if (name !== null) open.names.add(name);
  // Only a bare `<<` merges; in quotes it is a name like any other.
  const isMerge = name === "<<" && node.kind === "scalar" && node.style === "plain";
  open.key = { name: isMerge ? null : name, merge: isMerge, start: node.start, end: node.end };
}

function close(composer: Composer): void {
  const done = composer.frames.pop() as Frame;
  const range = { start: done.start, end: done.flow ? flowEnd(composer.text, done) : done.end };
  const node: ContentNode =
    done.kind === "sequence"
      ? { kind: "sequence", flow: done.flow, ...range, items: done.items }
      : { kind: "mapping", flow: done.flow, ...range, entries: done.entries, merges: done.merges };
  if (done.tagged) node.lock = "tagged";
  settle(composer, node, done.size, { anchor: done.anchor, name: null });
}

/** Behind the closing bracket; a pair without braces (`[a: b]`) ends with its value. */
function flowEnd(text: string, { start, end, kind }: Frame): number {
  if (kind === "mapping" && text[start] !== "{") return end;
  const next = skipBlank(text, end === start ? start + 1 : end);
  return text[next] === "," ? skipBlank(text, next + 1) + 1 : next + 1;
}

function merge(merges: MappingNode[], source: ContentNode): void {
  if (source.kind === "mapping") merges.push(source);
  else if (source.kind === "sequence") for (const item of source.items) merge(merges, content(item));
}
