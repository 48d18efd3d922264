/** What the files of `src/` import, name and hold, read from their syntax trees. */
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { globSync } from "tinyglobby";

export interface SourceFile {
  /** From the root of the repository, with `/`: `src/core/step.ts`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Everything imported, types too: a path below `src/`, a `node:` module or a package. */
  readonly imports: readonly string[];
  /** Kinds of nodes that are in the file, `TSAnyKeyword` for one. */
  readonly kinds: ReadonlySet<string>;
  /** Names that are read or called, `process` or `Date.now` for two; `new Date` for a construction. */
  readonly names: ReadonlySet<string>;
}

/** @param root the folder that holds `src/` */
export function readSources(root: string): readonly SourceFile[] {
  const paths = globSync("src/**/*.{ts,tsx,mts,cts}", { cwd: root }).sort();
  return paths.map((path) => readSource(path, readFileSync(posix.join(root, path), "utf8")));
}

export function readSource(path: string, text: string): SourceFile {
  const imports = new Set<string>();
  const kinds = new Set<string>();
  const names = new Set<string>();
  visit(parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }), "", (node, role) => {
    kinds.add(String(node["type"]));
    const from = node["source"];
    if (isNode(from) && typeof from["value"] === "string") imports.add(resolved(path, from["value"]));
    const name = nameOf(node, role);
    if (name !== null) names.add(name);
  });
  return { path, text, lines: text.split("\n").length - 1, imports: [...imports], kinds, names };
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

function visit(value: unknown, role: string, tell: (node: Node, role: string) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, role, tell);
  else if (isNode(value)) {
    if (typeof value["type"] === "string") tell(value, value["computed"] === true ? "" : role);
    for (const [key, child] of Object.entries(value)) visit(child, isNamed(value, key) ? "label" : "", tell);
  }
}

/** Whether the child is only a label: `x.process`, `{ process: 1 }`. */
function isNamed(parent: Node, key: string): boolean {
  return parent["computed"] !== true && (key === "property" || (key === "key" && parent["shorthand"] !== true));
}

function nameOf(node: Node, role: string): string | null {
  if (node["type"] === "Identifier" && role !== "label") return String(node["name"]);
  const [owner, member, built] = [node["object"], node["property"], node["callee"]];
  if (node["type"] === "MemberExpression" && isNode(owner) && isNode(member))
    return `${String(owner["name"])}.${String(member["name"] ?? member["value"])}`;
  if (node["type"] === "NewExpression" && isNode(built)) return `new ${String(built["name"])}`;
  return null;
}

function resolved(from: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
}

/** The circles among the files' imports, each as a path that ends where it began. */
export function circlesOf(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map(files.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) circles.push([...trail.slice(start), path].join(" -> "));
    if (start >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) if (edges.has(next)) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const file of files) walk(file.path, []);
  return circles;
}
