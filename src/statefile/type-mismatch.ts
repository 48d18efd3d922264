/** What to say of a value that does not fit: which field, what stood there, what would be right. */
import { distance } from "../core/nearest.ts";
import { content, type ContentNode, isNull, isPresent, type MappingNode, type Node, valueUnder } from "./node.ts";
import { type Findings, named, quote, report, type Trace } from "./problems.ts";
import type { ExclusiveType, Field, TaggedType, Type } from "./field-types.ts";

export function missing(
  key: string,
  field: Field,
  node: Node,
  { trace, findings }: { readonly trace: Trace | undefined; readonly findings: Findings },
): void {
  const owner = trace === undefined ? "the frontmatter" : named(trace);
  report(findings, {
    code: "missing_field",
    message: `${owner} has no ${key}`,
    at: node.start,
    trace: { up: trace, key },
    hint: `add \`${key}:\` (${expected(field.type)}). ${field.doc}`,
  });
}

export function checkExclusive(
  type: ExclusiveType,
  node: MappingNode,
  trace: Trace | undefined,
  findings: Findings,
): void {
  const names = Object.keys(type.alternatives);
  const given = names.filter((name) => isPresent(node, name));
  if (given.length === 1) return;
  const message =
    given.length === 0
      ? `${named(trace)} has none of ${names.join(", ")}`
      : `${named(trace)} has ${given.join(" and ")}`;
  report(findings, {
    code: given.length === 0 ? "missing_field" : "wrong_type",
    message,
    at: node.start,
    trace,
    hint: `exactly one of ${names.join(", ")}`,
  });
}

export function unknownTag(
  type: TaggedType,
  orKey: string | undefined,
  node: MappingNode,
  { trace, findings }: { readonly trace: Trace | undefined; readonly findings: Findings },
): undefined {
  const known = Object.keys(type.of);
  const tag = valueUnder(node, type.tag);
  const instead = orKey === undefined ? "" : ` (or \`${orKey}:\`)`;
  if (tag === undefined || isNull(tag)) {
    report(findings, {
      code: "missing_field",
      message: `${named(trace)} has no ${type.tag}`,
      at: node.start,
      trace: { up: trace, key: type.tag },
      hint: `add \`${type.tag}:\`, one of ${known.join(", ")}${instead}`,
    });
    return undefined;
  }
  const found = quote(findings.text, content(tag));
  report(findings, {
    code: "unknown_check_type",
    message: `the check type ${found} is not known`,
    at: tag.start,
    trace: { up: trace, key: type.tag },
    found,
    hint: suggestion(found, known),
  });
  return undefined;
}

export function mismatch(what: string, node: ContentNode, trace: Trace | undefined, findings: Findings): undefined {
  const found =
    node.kind === "mapping"
      ? "a mapping"
      : node.kind === "sequence"
        ? "a list"
        : node.value === null
          ? "nothing"
          : quote(findings.text, node);
  const quotable = what === "a string" && node.kind === "scalar" && node.value !== null && node.style === "plain";
  report(findings, {
    code: "wrong_type",
    message: `${named(trace)} is not ${what}`,
    at: node.start,
    trace,
    found,
    hint: quotable ? `write it in quotes: "${found}"` : `write ${what}`,
  });
  return undefined;
}

/** What a type asks for, in a few words. */
export function expected(type: Type): string {
  switch (type.kind) {
    case "text":
    case "word":
      return type.format ?? "text";
    case "choice":
      return type.of.join(" | ");
    case "int":
      return "whole number";
    case "number":
      return "number";
    case "bool":
      return "true | false";
    case "list":
      return `list of ${expected(type.of)}`;
    default:
      return "mapping";
  }
}

/** Characters of what was found that are compared. */
const LONGEST_WORD = 80;

export function suggestion(found: string, known: readonly string[]): string {
  const lower = found.slice(0, LONGEST_WORD).toLowerCase();
  const limit = Math.max(3, Math.floor(lower.length / 2));
  const [nearest] = known
    .map((name) => ({ name, edits: distance(lower, name, limit) }))
    .filter(({ edits }) => edits < limit)
    .sort((a, b) => a.edits - b.edits);
  const list = `one of ${known.join(", ")}`;
  return nearest === undefined ? list : `did you mean ${nearest.name}? (${list})`;
}
