/** A value of the state file's schema from a text of its own: YAML, and so JSON as well. */
import { accepted, type Result } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import { noFindings, problemOf } from "./problems.ts";
import type { Type } from "./field-types.ts";
import { entryUnder, type Node } from "./node.ts";
import { BASE_CASE } from "./check-schema.ts";
import { readValue } from "./shape.ts";
import { readYaml } from "./yaml.ts";
import { reportUnknownKeys } from "./unknown-keys.ts";

/**
 * What the text holds, read by that type of the schema; places in problems are those in `text`.
 * @param strict what is read, in words: then a key that the schema does not have is a problem, too
 * @param shaped the tree as the type wants it
 */
export function readYamlValue(text: string, type: Type, strict?: string, shaped = asItIs): Result<unknown> {
  const yaml = readYaml(text, { start: 0, end: text.length });
  if ("finding" in yaml) {
    const problem = problemOf(text, yaml.finding);
    return { ok: false, problems: [{ ...problem, message: problem.message.replace("the frontmatter", "the text") }] };
  }
  const findings = noFindings(text);
  const root = inOwnWord(shaped(yaml.root), type);
  const value = readValue(type, root, { path: [], findings });
  if (strict !== undefined) reportUnknownKeys(type, root, { findings, what: strict });
  return findings.problems.length > 0 ? { ok: false, problems: findings.problems } : accepted(value);
}

const asItIs = (root: Node): Node => root;

/** The state file's word for a loop's limits, and everybody else's. Whichever the type has, both are read. */
const LIMIT_WORDS: readonly (string | null)[] = ["constraints", "limits"];

function inOwnWord(root: Node, type: Type): Node {
  const own = Object.keys(type.kind === "record" ? type.fields : {}).find((name) => LIMIT_WORDS.includes(name));
  if (root.kind !== "mapping" || own === undefined || entryUnder(root, own) !== undefined) return root;
  const entries = root.entries.map((entry) => (LIMIT_WORDS.includes(entry.name) ? { ...entry, name: own } : entry));
  return { ...root, entries };
}

/** A base case: one check, or `{checklist: [...]}`. */
export function readBaseCase(text: string): Result<BaseCase> {
  return readYamlValue(text, BASE_CASE) as Result<BaseCase>;
}
