/** What to say of a value that does not fit: which field, what stood there, what would be right. */
import { meantBy } from "../core/nearest.ts";
import { content, type ContentNode, isNull, isPresent, type MappingNode, type Node, valueUnder } from "./node.ts";
import { below, named, quote, type Reader, reportAt } from "./problems.ts";
import type { ExclusiveType, Field, TaggedType, Type } from "./field-types.ts";

export function missing(key: string, field: Field, node: Node, reader: Reader): void {
  reportAt(below(reader, key), node.start, {
    code: "missing_field",
    message: `${named(reader.path)} has no ${key}`,
    hint: `add \`${key}:\` (${expected(field.type)}). ${field.doc}`.trimEnd(),
  });
}

export function checkExclusive(type: ExclusiveType, node: MappingNode, reader: Reader): void {
  const names = Object.keys(type.alternatives);
  const given = names.filter((name) => isPresent(node, name));
  if (given.length === 1) return;
  const has = given.length === 0 ? `has none of ${names.join(", ")}` : `has ${given.join(" and ")}`;
  reportAt(reader, node.start, {
    code: given.length === 0 ? "missing_field" : "wrong_type",
    message: `${named(reader.path)} ${has}`,
    hint: `exactly one of ${names.join(", ")}`,
  });
}

export function unknownTag(type: TaggedType, orKey: string | undefined, node: MappingNode, reader: Reader): undefined {
  const known = Object.keys(type.of);
  const tag = valueUnder(node, type.tag);
  const instead = orKey === undefined ? "" : ` (or \`${orKey}:\`)`;
  const here = below(reader, type.tag);
  if (tag === undefined || isNull(tag))
    return reportAt(here, node.start, {
      code: "missing_field",
      message: `${named(reader.path)} has no ${type.tag}`,
      hint: `add \`${type.tag}:\`, one of ${known.join(", ")}${instead}`,
    });
  const found = quote(reader.findings.text, content(tag));
  return reportAt(here, tag.start, {
    code: "unknown_check_type",
    message: `the check type ${found} is not known`,
    found,
    hint: suggestion(found, known),
  });
}

export function mismatch(what: string, node: ContentNode, reader: Reader): undefined {
  const found =
    node.kind === "mapping"
      ? "a mapping"
      : node.kind === "sequence"
        ? "a list"
        : node.value === null
          ? "nothing"
          : quote(reader.findings.text, node);
  const quotable = what === "a string" && node.kind === "scalar" && node.value !== null && node.style === "plain";
  return reportAt(reader, node.start, {
    code: "wrong_type",
    message: `${named(reader.path)} is not ${what}`,
    found,
    hint: quotable ? `write it in quotes: "${found}"` : `write ${what}`,
  });
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
  const meant = meantBy(found.slice(0, LONGEST_WORD).toLowerCase(), known);
  const list = `one of ${known.join(", ")}`;
  return meant === undefined ? list : `did you mean ${meant}? (${list})`;
}
