/** Text to state. */
import { boundedText } from "../core/bounded-text.ts";
import type { Problem } from "../core/problem.ts";
import type { Atom, Binding, OrGroup, State } from "../core/state.ts";
import { checkInvariants } from "../core/invariants.ts";
import { placeOf } from "../core/json-tree.ts";
import { content, valueUnder, type MappingNode, type Range, type Node } from "./node.ts";
import { MAX_PROBLEMS, noFindings, problemOf, quote, report, type Finding, type Findings } from "./problems.ts";
import { STATE } from "./schema.ts";
import { readFields } from "./shape.ts";
import { readYaml } from "./yaml.ts";

/** A state file that was read: its text as it is, what it means, and what stands where. */
export interface StateDocument {
  /** Exactly as read, byte order mark and line endings included. */
  readonly text: string;
  readonly state: State;
  /** The Markdown body, behind the closing delimiter. */
  readonly body: Range;
  readonly root: MappingNode;
}

export type ParseResult =
  | { readonly ok: true; readonly document: StateDocument; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * The state that a file's text holds, or everything that is wrong with it (at most {@link MAX_PROBLEMS}), each with
 * code, path, what was found, what would be right, and the 1-based line and column (SPEC section 2).
 */
export function parseState(text: string): ParseResult {
  const frontmatter = findFrontmatter(text);
  const conflict = conflictIn(text, typeof frontmatter === "string" ? text.length : frontmatter.body.start);
  if (conflict !== null) return failed(text, conflict);
  if (typeof frontmatter === "string") return failed(text, unframed(text, frontmatter));
  const tree = readYaml(text, frontmatter);
  if ("finding" in tree) return failed(text, tree.finding);
  if (tree.root.kind !== "mapping") {
    return failed(text, {
      code: "wrong_type",
      message: "the frontmatter is not a mapping",
      at: tree.root.start,
      found: quote(text, tree.root),
      hint: "write `key: value` lines: objective, control, atoms, ...",
    });
  }
  return readRoot(text, frontmatter, tree.root);
}

function failed(text: string, finding: Finding): ParseResult {
  return { ok: false, problems: [problemOf(text, finding)] };
}

/** A line that git left where two sides changed the same. The prompt below the frontmatter may hold what it likes. */
const CONFLICT = /^(?:<{7}|\|{7}|>{7})(?: .*)?\r?$/m;

function conflictIn(text: string, end: number): Finding | null {
  const found = CONFLICT.exec(text.slice(0, end));
  if (found === null) return null;
  return {
    code: "merge_conflict",
    message: "a merge conflict is not resolved here",
    at: found.index,
    found: found[0].trim(),
    hint: "keep one side, remove the lines that begin with <<<<<<<, ======= and >>>>>>>, then `aot state validate`",
  };
}

function unframed(text: string, why: "unopened" | "unclosed"): Finding {
  if (text.trim() === "")
    return { code: "no_frontmatter", message: "the file is empty", at: 0, hint: "create it with `aot align`" };
  if (why === "unclosed")
    return {
      code: "no_frontmatter",
      message: "the frontmatter is never closed",
      at: text.length,
      hint: "end it with a line that is exactly `---`",
    };
  return {
    code: "no_frontmatter",
    message: "there is no frontmatter: the first line is not `---`",
    at: 0,
    found: quote(text, { start: 0, end: text.search(/\r?\n|$/) }),
    hint: /^\ufeff?\s*\{/.test(text)
      ? "this looks like the state of a phase loop: `aot phases` has the commands for it (status, run, report, ...)"
      : "begin the file with a line that is exactly `---`, without blanks",
  };
}

/** An atom under construction: its binding stands elsewhere in the file. */
type NewAtom = { -readonly [K in keyof Atom]: Atom[K] };

/** The sections as they are read: groups and bindings by name. */
interface Sections extends Omit<State, "atoms" | "or_groups"> {
  readonly atoms: readonly NewAtom[];
  readonly or_groups: readonly (readonly [string, Omit<OrGroup, "name">])[];
  readonly bindings: readonly (readonly [string, Binding])[];
}

function readRoot(text: string, { body }: Frontmatter, root: MappingNode): ParseResult {
  const findings = noFindings(text);
  const sections = readFields(STATE.fields, root, { path: [], findings }) as unknown as Sections;
  if (findings.problems.length > 0) return { ok: false, problems: findings.problems };
  const { bindings, ...kept } = sections;
  const prompt = promptIn(text.slice(body.start, body.end));
  const typed = prompt === "" ? {} : { original_prompt: boundedText(prompt) };
  const state: State = {
    ...kept,
    objective: { ...sections.objective, ...typed },
    atoms: joined(sections.atoms, bindings, root, findings),
    or_groups: sections.or_groups.map(([name, group]): OrGroup => ({ name, ...group })),
  };
  const breaches = checkInvariants(state).slice(0, MAX_PROBLEMS);
  const problems = [...findings.problems, ...breaches.map((problem) => located(text, root, problem))];
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
  return { ok: true, document: { text, state, body, root }, warnings: findings.warnings };
}

/** All that follows the heading: a person's prompt may have headings of its own. */
function promptIn(body: string): string {
  const heading = /^# Original Prompt[ \t]*\r?$/m.exec(body);
  return heading === null
    ? ""
    : body
        .slice(heading.index + heading[0].length)
        .replaceAll("\r\n", "\n")
        .trim();
}

/** The atoms with their bindings; a binding of nobody is reported at `bindings.<id>`. */
function joined(
  atoms: readonly NewAtom[],
  bindings: Sections["bindings"],
  root: MappingNode,
  findings: Findings,
): readonly Atom[] {
  const byId = new Map(atoms.map((atom) => [atom.id, atom]));
  for (const [id, binding] of bindings) {
    const atom = byId.get(id);
    if (atom !== undefined) atom.binding = binding;
    else {
      const at = offsetOf(root, ["bindings", id]) ?? root.start;
      report(findings, {
        code: "unknown_atom",
        message: `there is a binding for ${id}, but no such atom`,
        at,
        path: ["bindings", id],
        found: id,
        hint: "remove the binding, or add the atom",
      });
    }
  }
  return atoms;
}

function located(text: string, root: MappingNode, problem: Problem): Problem {
  const at = offsetOf(root, problem.path ?? []) ?? content(root).start;
  return { ...problem, at: placeOf(text, at) };
}

// Where the frontmatter stands (SPEC section 2): between a first line and a later line that are exactly `---`.
// A byte order mark may be before the first.

interface Frontmatter extends Range {
  /** What follows the closing delimiter's line. */
  readonly body: Range;
}

const OPENING = /\ufeff?---\r?\n/y;

/** `unopened`: the first line is not a delimiter; `unclosed`: no later line is one. */
export function findFrontmatter(text: string): Frontmatter | "unopened" | "unclosed" {
  OPENING.lastIndex = 0;
  if (!OPENING.test(text)) return "unopened";
  const start = OPENING.lastIndex;
  // From the opening delimiter's line break on, so that an empty frontmatter is seen as well.
  for (let at = text.indexOf("\n---", start - 1); at >= 0; at = text.indexOf("\n---", at + 1)) {
    const after = afterLineBreak(text, at + 4);
    if (after !== undefined) return { start, end: at + 1, body: { start: after, end: text.length } };
  }
  return "unclosed";
}

function afterLineBreak(text: string, at: number): number | undefined {
  if (at === text.length) return at;
  if (text.charCodeAt(at) === 10) return at + 1;
  if (text.startsWith("\r\n", at)) return at + 2;
  return undefined;
}

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
function offsetOf(root: MappingNode, path: readonly (string | number)[]): number | undefined {
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
  if (here.kind === "sequence" && typeof step === "number") return here.items[step];
  return here.kind === "mapping" ? valueUnder(here, String(step)) : undefined;
}
