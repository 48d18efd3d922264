/**
 * A rule file as text: where its frontmatter stands, and the values in it by YAML's own rules (SPEC section 12).
 *
 * RULE-TEXT-1 a delimiter is a line of its own: `---` inside of a value is none;
 * RULE-TEXT-2 a value that YAML refuses is taken as it is written, and that is reported: such files worked where they come
 *    from.
 */
import { FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";
import type { Problem, Result } from "../../core/problem.ts";

/** Every scalar as text: 0x1F, yes and ~ in a pattern are what is there. */
export type YamlValue = string | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

export interface RuleText {
  readonly fields: Readonly<Record<string, YamlValue>>;
  /** Behind the frontmatter, without blank lines around it. */
  readonly message: string;
  /** What is read, but not as it was meant, perhaps. */
  readonly warnings: readonly Problem[];
  /** The line of a field, from 1; of several keys the last one's place inside the first one's. */
  readonly lineOf: (...path: readonly (string | number)[]) => number;
}

/** Lines of a rule file: where the frontmatter's text begins and ends, counted from 0. */
export interface RuleLines {
  readonly lines: readonly string[];
  /** Line of the closing delimiter. */
  readonly close: number;
}

export function splitRule(text: string): Result<RuleLines> {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (!isDelimiter(lines[0]))
    return fault("no_frontmatter", "the file does not begin with a line ---", 1, "put the rule between two lines ---");
  const close = lines.findIndex((line, at) => at > 0 && isDelimiter(line));
  if (close < 0)
    return fault("no_frontmatter", "the frontmatter is not closed", 1, "end it with a line that is exactly ---");
  return { ok: true, value: { lines, close } };
}

export function readRuleText(text: string): Result<RuleText> {
  const split = splitRule(text);
  if (!split.ok) return split;
  const { lines, close } = split.value;
  const front = lines.slice(1, close);
  const read = readYaml(front);
  if (!read.ok) return read;
  const { fields, warnings } = read.value;
  const message = lines
    .slice(close + 1)
    .join("\n")
    .trim();
  return { ok: true, value: { fields, message, warnings, lineOf: (...path) => findLine(front, path) } };
}

function isDelimiter(line: string | undefined): boolean {
  return line !== undefined && /^---[ \t]*$/.test(line);
}

type Read = Pick<RuleText, "fields" | "warnings">;

function readYaml(front: readonly string[]): Result<Read> {
  const strict = parse(front);
  if (strict.ok) return strict;
  const quoted = front.map(quoteWhatYamlRefuses);
  if (quoted.every((line, at) => line === front[at])) return strict;
  const lenient = parse(quoted);
  if (!lenient.ok) return strict;
  const warnings = quoted.flatMap((line, at): readonly Problem[] =>
    line === front[at]
      ? []
      : [
          {
            code: "yaml_syntax",
            message: "this value is not valid YAML: it is taken as it is written",
            found: (front[at] ?? "").trim().slice(0, 80),
            at: { line: at + 2, column: 1 },
            hint: `write ${line.trim()}`,
          },
        ],
  );
  return { ok: true, value: { ...lenient.value, warnings } };
}

function parse(front: readonly string[]): Result<Read> {
  try {
    const value: unknown = load(front.join("\n"), { schema: FAILSAFE_SCHEMA, maxDepth: 20 });
    if (isFields(value)) return { ok: true, value: { fields: value, warnings: [] } };
    return fault(
      "wrong_type",
      "the frontmatter holds no fields",
      2,
      "write name, event, pattern and action, one a line",
    );
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = (error.mark?.line ?? 0) + 2;
    return fault(
      "yaml_syntax",
      `the frontmatter is not valid YAML: ${error.reason}`,
      line,
      "put the value in single quotes",
    );
  }
}

/** `key: value` on one line whose value is no YAML by itself, in single quotes; any other line as it is. */
function quoteWhatYamlRefuses(line: string): string {
  const found = /^((?:\s*- )?\s*[\w-]+:[ \t]+)(\S.*?)[ \t]*$/.exec(line);
  const [, key = "", value = ""] = found ?? [];
  if (found === null || /^[|>][-+0-9]*$/.test(value)) return line;
  try {
    const read: unknown = load(`key: ${value}`, { schema: FAILSAFE_SCHEMA, maxDepth: 20 });
    if (isFields(read) && Object.keys(read).length === 1) return line;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
  }
  const bare = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return `${key}'${bare.replaceAll("'", "''")}'`;
}

function findLine(front: readonly string[], path: readonly (string | number)[]): number {
  let at = 0;
  for (const step of path) {
    const sign = typeof step === "number" ? /^\s*-(\s|$)/ : new RegExp(`^[\\s-]*["']?${step}["']?\\s*:`);
    let passes = typeof step === "number" ? step : 0;
    const found = front.findIndex((line, index) => index >= at && sign.test(line) && passes-- === 0);
    if (found < 0) break;
    at = found;
  }
  return at + 2;
}

function isFields(value: unknown): value is { readonly [key: string]: YamlValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fault(
  code: Problem["code"],
  message: string,
  line: number,
  hint: string,
): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ code, message, at: { line, column: 1 }, hint }] };
}
