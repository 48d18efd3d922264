/** Fields and settings as tables for the documentation. */
import { CHECK, ITEM } from "../../src/statefile/check-schema.ts";
import type { Field, Fields, TaggedType, Type } from "../../src/statefile/field-types.ts";
import { STATE } from "../../src/statefile/schema.ts";
import { SETTING_NAMES, SETTINGS, variableOf } from "../../src/project/config-schema.ts";
import { expected } from "../../src/statefile/type-mismatch.ts";

/**
 * Markdown tables of every field: path, type, whether it is required, its default, what it is for. A checklist's items
 * and a check's fields are in tables of their own, since they occur at any depth.
 */
export function stateFieldsMarkdown(): string {
  const parts = [
    table(rowsOf(STATE, "")),
    "An item of a checklist has `item` and exactly one of `check`, `group` and `any_of`:",
    table([...fieldRows(ITEM.fields, "item"), ...fieldRows(ITEM.alternatives, "item")]),
    "A check, in an item or as the whole base case:",
    table(taggedRows(CHECK, "check")),
  ];
  return `${parts.join("\n\n")}\n`;
}

function table(rows: readonly string[]): string {
  return ["| field | type | required | default | meaning |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

function rowsOf(type: Type, path: string): string[] {
  if (type === ITEM || type === CHECK) return [];
  switch (type.kind) {
    case "list":
      return rowsOf(type.of, `${path}[]`);
    case "table":
      return rowsOf(type.of, `${path}.<${type.name}>`);
    case "record":
      return fieldRows(type.fields, path);
    case "keyed":
      return [...new Set([...rowsOf(type.absent, path), ...rowsOf(type.present, path)])];
    default:
      return [];
  }
}

function fieldRows(fields: Fields, path: string): string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const here = path === "" ? key : `${path}.${key}`;
    return [row(here, field, typeText(field.type), field.doc), ...rowsOf(field.type, here)];
  });
}

/** One row for each field and meaning, with the values of the tag under which it has it. */
function taggedRows(type: TaggedType, path: string): string[] {
  const tags = Object.keys(type.of);
  const rows = new Map<string, { key: string; field: Field; tags: string[] }>();
  for (const tag of tags) {
    for (const [key, field] of Object.entries(type.of[tag]?.fields ?? {})) {
      const known = rows.get(key + field.doc) ?? { key, field, tags: [] };
      known.tags.push(tag);
      rows.set(key + field.doc, known);
    }
  }
  return [...rows.values()].flatMap(({ key, field, tags: under }) => {
    const here = `${path}.${key}`;
    const scope = under.length === tags.length ? "" : `${under.map((tag) => `\`${tag}\``).join(", ")}: `;
    const kind = key === type.tag ? tags.join(" \\| ") : typeText(field.type);
    return [row(here, field, kind, scope + field.doc), ...rowsOf(field.type, here)];
  });
}

function row(path: string, field: Field, type: string, meaning: string): string {
  return `| \`${path}\` | ${type} | ${field.required === true && field.default === undefined ? "yes" : "no"} | ${defaultText(field)} | ${meaning} |`;
}

function typeText(type: Type): string {
  return expected(type).replaceAll("|", "\\|");
}

function defaultText({ default: value, type }: Field): string {
  if (value === undefined) return "";
  if (type.kind === "table") return "`{}`";
  return type.kind === "record" ? "as below" : `\`${JSON.stringify(value)}\``;
}

/** The settings as a table for the page. */
export function settingsMarkdown(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { type, doc, fallback } = SETTINGS[name];
    return `| \`${name}\` | ${typeText(type)} | \`${variableOf(name)}\` | ${fallback} | ${doc} |`;
  });
  return ["| setting | type | environment | default | meaning |", "| --- | --- | --- | --- | --- |", ...rows, ""].join(
    "\n",
  );
}
