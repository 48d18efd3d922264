/** A value of the state file's schema from a text of its own: YAML, and so JSON as well. */
import { accepted, type Problem, type Result } from "../core/problem.ts";
import type { BaseCase } from "../core/state.ts";
import { noFindings, problemOf } from "./problems.ts";
import type { Type } from "./field-types.ts";
import { OBJECTIVE } from "./schema.ts";
import { readValue } from "./shape.ts";
import { readYaml } from "./yaml.ts";
import { reportUnknownKeys } from "./unknown-keys.ts";

/**
 * What the text holds, read by that type of the schema; places in problems are those in `text`.
 * @param strict what is read, in words: then a key that the schema does not have is a problem, too
 */
export function readYamlValue(text: string, type: Type, strict?: string): Result<unknown> {
  const yaml = readYaml(text, { start: 0, end: text.length });
  if ("finding" in yaml) return { ok: false, problems: [plain(problemOf(text, yaml.finding))] };
  const findings = noFindings(text);
  const value = readValue(type, yaml.root, { trace: undefined, findings });
  if (strict !== undefined) reportUnknownKeys(type, yaml.root, { findings, what: strict });
  return findings.problems.length > 0 ? { ok: false, problems: findings.problems } : accepted(value);
}

/** A base case: one check, or `{checklist: [...]}`. */
export function readBaseCase(text: string): Result<BaseCase> {
  const { base_case } = OBJECTIVE.fields;
  if (base_case === undefined) throw new Error("the schema has no base case");
  const read = readYamlValue(text, base_case.type);
  return read.ok ? accepted(read.value as BaseCase) : read;
}

function plain(problem: Problem): Problem {
  return { ...problem, message: problem.message.replace("the frontmatter", "the text") };
}
