/** Values of a JSON tree as they are wanted; what is not so becomes a problem with its place. */
import type { Problem, ProblemCode } from "../../core/problem.ts";
import { placeOf, under, type JsonNode, type ObjectNode } from "../../core/json-tree.ts";

export type Path = readonly (string | number)[];

/** Of problems and of warnings: what comes after them is not reported. */
export const MOST_PROBLEMS = 50;
const LONGEST_FOUND = 80;

interface Words {
  readonly message: string;
  readonly hint: string;
}

export interface TreeReader {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  report(code: ProblemCode, node: JsonNode, path: Path, words: Words): void;
  warn(code: ProblemCode, node: JsonNode, path: Path, words: Words): void;
  /** The value under a key that has to be there, or undefined with a problem. */
  member(object: ObjectNode, key: string, path: Path, hint: string): JsonNode | undefined;
  object(node: JsonNode, path: Path): ObjectNode | undefined;
  list(node: JsonNode, path: Path): readonly JsonNode[] | undefined;
  /** @param filled an empty text is a problem, too */
  text(node: JsonNode, path: Path, filled?: boolean): string | undefined;
  truth(node: JsonNode, path: Path): boolean | undefined;
  /** As it is in the file. */
  sourceOf(node: JsonNode): string;
}

export function createTreeReader(source: string): TreeReader {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const into =
    (kept: Problem[]): TreeReader["report"] =>
    (code, node, path, { message, hint }) => {
      if (kept.length >= MOST_PROBLEMS) return;
      kept.push({ code, message, path, found: quoted(source, node), hint, at: placeOf(source, node.start) });
    };
  const report = into(problems);
  const wrong = (node: JsonNode, path: Path, wanted: string): undefined => {
    report("wrong_type", node, path, { message: `${named(path)} has to be ${wanted}`, hint: `write ${wanted}` });
    return undefined;
  };
  return {
    problems,
    warnings,
    report,
    warn: into(warnings),
    member: (object, key, path, hint) => {
      const found = under(object, key);
      if (found === undefined)
        report("missing_field", object, [...path, key], { message: `${named([...path, key])} is missing`, hint });
      return found;
    },
    object: (node, path) => (node.kind === "object" ? node : wrong(node, path, "an object")),
    list: (node, path) => (node.kind === "list" ? node.items : wrong(node, path, "a list")),
    text: (node, path, filled = true) => {
      if (node.kind !== "scalar" || typeof node.value !== "string") return wrong(node, path, "a text");
      return filled && node.value.trim() === "" ? wrong(node, path, "a text that is not empty") : node.value;
    },
    truth: (node, path) =>
      node.kind === "scalar" && typeof node.value === "boolean" ? node.value : wrong(node, path, "true or false"),
    sourceOf: ({ start, end }) => source.slice(start, end),
  };
}

/** phases[2].name; the whole value has no name. */
export function named(path: Path): string {
  if (path.length === 0) return "the whole";
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}

function quoted(source: string, { start, end }: JsonNode): string {
  const text = source.slice(start, Math.min(end, start + 4 * LONGEST_FOUND)).replace(/\s+/g, " ");
  return text.length > LONGEST_FOUND ? `${text.slice(0, LONGEST_FOUND)}...` : text;
}
