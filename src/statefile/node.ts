/**
 * The source tree: what stands where in the frontmatter.
 *
 * `yaml.ts` and `read-json-value.ts` build it, and everything else (`shape.ts` and `print.ts`) sees nothing but it.
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
  readonly items: readonly Node[];
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
  readonly entries: readonly Entry[];
  /** Mappings that `<<` brings in, the first one wins; own entries win over all. */
  readonly merges: readonly MappingNode[];
  lock?: Lock;
}

export type ContentNode = ScalarNode | SequenceNode | MappingNode;
export type Node = ContentNode | AliasNode;

/** The node itself, or what the alias stands for. */
export function content(node: Node): ContentNode {
  return node.kind === "alias" ? node.target : node;
}

/** What stands in a collection. */
export function valuesIn(node: SequenceNode | MappingNode): readonly Node[] {
  return node.kind === "sequence" ? node.items : node.entries.map(({ value }) => value);
}

/** The own entry with this key. */
export function entryUnder({ entries }: MappingNode, name: string): Entry | undefined {
  return entries.find((entry) => entry.name === name);
}

/** The value under a key, own or merged. */
export function valueUnder(mapping: MappingNode, name: string): Node | undefined {
  const own = entryUnder(mapping, name);
  if (own !== undefined) return own.value;
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

/** What a mapping shows by name, own keys first, then merged ones. */
export function membersOf(mapping: MappingNode): ReadonlyMap<string, Node> {
  const members = new Map<string, Node>();
  for (const { name, value } of mapping.entries) if (name !== null) members.set(name, value);
  for (const merged of mapping.merges)
    for (const [name, value] of membersOf(merged)) if (!members.has(name)) members.set(name, value);
  return members;
}

const BLANK = /[ \t\r\n]*(?:#[^\r\n]*[ \t\r\n]*)*/y;

/** The first offset from `from` on that is neither white space nor comment. */
export function skipBlank(text: string, from: number): number {
  BLANK.lastIndex = from;
  BLANK.exec(text);
  return BLANK.lastIndex;
}
