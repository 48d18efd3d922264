/**
 * The source tree: what stands where in the frontmatter.
 *
 * `sections.ts` and `yaml.ts` build it, and everything else (`shape.ts` and `print.ts`) sees nothing but it.
 * Offsets count UTF-16 units from the start of the file and exclude anchors and tags.
 */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export type Scalar = string | number | boolean | null;

/** Why a node must not be edited: it has an explicit tag, or an alias elsewhere shows the same node. */
export type Lock = "tagged" | "shared";

export interface ScalarNode extends Range {
  readonly kind: "scalar";
  /** `empty`: nothing is written; the range is the place where a value would stand. */
  readonly style: "plain" | "quoted" | "block" | "empty";
  readonly value: Scalar;
  /** Block scalars: end of the indicator (`|-`) and start of the first content line. */
  readonly block?: { readonly headerEnd: number; readonly contentStart: number };
  lock?: Lock;
}

export interface AliasNode extends Range {
  readonly kind: "alias";
  readonly target: ContentNode;
}

export interface SequenceNode extends Range {
  readonly kind: "sequence";
  readonly flow: boolean;
  readonly size: number;
  /** RangeError outside `0 .. size - 1` (a caller's mistake). */
  item(index: number): Node;
  /** What the items mean (`shape.ts`), where they were read together with the node. */
  readonly values?: readonly unknown[];
  lock?: Lock;
}

export interface Entry extends Range {
  /** The key as text, whatever its quotes; null for a merge key (`<<`) and for a key that is not a scalar. */
  readonly name: string | null;
  readonly keyEnd: number;
  readonly value: Node;
}

export interface MappingNode extends Range {
  readonly kind: "mapping";
  readonly flow: boolean;
  readonly size: number;
  entry(index: number): Entry;
  /** Index of the entry with this key, or -1. */
  indexOf(name: string): number;
  /** Mappings that `<<` brings in, the first one wins; own entries win over all. */
  readonly merges: readonly MappingNode[];
  /** As a sequence's: pairs of name and value. */
  readonly values?: readonly unknown[];
  lock?: Lock;
}

export type ContentNode = ScalarNode | SequenceNode | MappingNode;
export type Node = ContentNode | AliasNode;

export function nodeSequence(range: Range, flow: boolean, items: readonly Node[]): SequenceNode {
  return {
    kind: "sequence",
    flow,
    start: range.start,
    end: range.end,
    size: items.length,
    item: (index) => present(items[index], index),
  };
}

export function nodeMapping(
  range: Range,
  flow: boolean,
  entries: readonly Entry[],
  merges: readonly MappingNode[] = [],
): MappingNode {
  return {
    kind: "mapping",
    flow,
    start: range.start,
    end: range.end,
    size: entries.length,
    entry: (index) => present(entries[index], index),
    indexOf: (name) => entries.findIndex((entry) => entry.name === name),
    merges,
  };
}

export function present<T>(value: T | undefined, index: number): T {
  if (value === undefined) throw new RangeError(`no child ${index}`);
  return value;
}

/** The node itself, or what the alias stands for. */
export function content(node: Node): ContentNode {
  return node.kind === "alias" ? node.target : node;
}

/** The value under a key, own or merged. */
export function valueUnder(mapping: MappingNode, name: string): Node | undefined {
  const index = mapping.indexOf(name);
  if (index >= 0) return mapping.entry(index).value;
  for (const merged of mapping.merges) {
    const value = valueUnder(merged, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function isNull(node: Node): boolean {
  const value = content(node);
  return value.kind === "scalar" && value.value === null;
}

/** Whether there is a value other than null under a key. */
export function isPresent(mapping: MappingNode, name: string): boolean {
  const value = valueUnder(mapping, name);
  return value !== undefined && !isNull(value);
}

/** The names a mapping shows, own keys first, then merged ones. */
export function namesOf(mapping: MappingNode): string[] {
  const names = new Set<string>();
  for (let i = 0; i < mapping.size; i++) {
    const { name } = mapping.entry(i);
    if (name !== null) names.add(name);
  }
  for (const merged of mapping.merges) for (const name of namesOf(merged)) names.add(name);
  return [...names];
}

const BLANK = /[ \t\r\n]*(?:#[^\r\n]*[ \t\r\n]*)*/y;

/** The first offset from `from` on that is neither white space nor comment. */
export function skipBlank(text: string, from: number): number {
  BLANK.lastIndex = from;
  BLANK.exec(text);
  return BLANK.lastIndex;
}

/** 1-based place of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next >= 0 && next < offset; next = text.indexOf("\n", start)) {
    line++;
    start = next + 1;
  }
  const bom = start === 0 && text.charCodeAt(0) === 0xfeff ? 1 : 0;
  return { line, column: Math.max(1, offset - start - bom + 1) };
}
