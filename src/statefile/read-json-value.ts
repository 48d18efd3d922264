/**
 * Values of the schema that come as JSON from outside: a request, a redirect, a signal, an agent's draft.
 *
 * READ-JSON-VALUE-1 whatever comes, the answer is a value of the type or problems that say what, where and why; nothing
 *    is thrown;
 * READ-JSON-VALUE-2 a key that the type does not have is a problem: dropped in silence, it would not be what somebody
 *    asked for.
 */
import { objectIn, shallow, wellFormed, type JsonObject, type Reading } from "../core/reading.ts";
import { accepted, problem, sayProblems, type Problem, type Result } from "../core/problem.ts";
import { choice, type Fields, need, record, type RecordType, type Type } from "./field-types.ts";
import { suggestion } from "./type-mismatch.ts";
import { noFindings, type Findings } from "./problems.ts";
import { readValue } from "./shape.ts";
import { reportUnknownKeys } from "./unknown-keys.ts";
import type { ContentNode, Entry, Scalar } from "./node.ts";

/** @param what is read, in words: "a redirect" */
export function readJsonValue(value: unknown, type: Type, what: string): Result<unknown> {
  const deep = shallow(value);
  if (!deep.ok) return problem("too_deep", `${what} ${deep.problem}`, "flatten it");
  const { root, text } = valueTree(value);
  const findings = noFindings(text);
  const read = readValue(type, root, { path: [], findings });
  reportUnknownKeys(type, root, { findings, what });
  return findings.problems.length === 0 ? accepted(read) : { ok: false, problems: withoutPlaces(findings, what) };
}

/** A place in a text that nobody wrote helps nobody. */
function withoutPlaces({ problems }: Findings, what: string): readonly Problem[] {
  return problems.map(({ at: _, ...rest }) => ({ ...rest, message: rest.message.replace(/^the frontmatter/, what) }));
}

/**
 * What a model answered, nested no deeper than `shallow` allows. A key that is empty says nothing, since some fill every key of a schema; one that the whole answer
 * does not have is left out, and told in `warnings`.
 * @param whole all that an answer of its kind may hold. @param what is read, in words: "the answer"
 */
export function readAnswer(
  value: unknown,
  type: RecordType,
  whole: RecordType,
  what: string,
): Reading<{ readonly read: unknown; readonly warnings: readonly string[] }> {
  const { root, text } = valueTree(value, true);
  const [findings, strangers] = [noFindings(text), noFindings(text)];
  const read = readValue(type, root, { path: [], findings });
  if (findings.problems.length > 0) return { ok: false, problem: sayProblems(withoutPlaces(findings, what)) };
  reportUnknownKeys(whole, root, { findings: strangers, what });
  const warnings = strangers.problems.map(({ message, hint }) => `${message}, and was left out: ${hint}`);
  return { ok: true, value: { read, warnings: warnings.slice(0, MOST_WARNINGS) } };
}

const MOST_WARNINGS = 20;

/** What an object of each `kind` holds beside it. @param given the object, as it came */
export type Kinds = Readonly<Record<string, (given: JsonObject) => Fields>>;

/** An object whose `kind` says what else it holds. */
export function readKind(value: unknown, kinds: Kinds, what: string): Result<unknown> {
  const given = objectIn(value);
  if (given === null) return problem("wrong_type", `${what} is no JSON object`, `{"kind": ...}`);
  const kind = Object.hasOwn(given, "kind") ? given["kind"] : undefined;
  const known = Object.keys(kinds);
  const fields = typeof kind === "string" && known.includes(kind) ? kinds[kind] : undefined;
  if (fields !== undefined)
    return readJsonValue(value, record({ kind: need(choice(...known), "What it is."), ...fields(given) }), what);
  const found = typeof kind === "string" ? kind : "";
  const shown = typeof kind === "string" ? JSON.stringify(kind.slice(0, LONGEST_SHOWN)) : typeof kind;
  return problem("unknown_value", `${what} of the kind ${shown} is not known`, suggestion(found, known));
}

const LONGEST_SHOWN = 80;

// A JSON value as a source tree, so that what comes in a message is read by the same types as what is in a file.

/**
 * @param value nested no deeper than `shallow` allows (core/reading.ts). @param lean without keys whose value is null or blank
 * @returns the tree, and its text: the value as JSON
 */
function valueTree(value: unknown, lean = false): { readonly root: ContentNode; readonly text: string } {
  let text = "";
  const put = (one: unknown): ContentNode => {
    const start = text.length;
    if (Array.isArray(one)) {
      text += "[";
      const items = Array.from(one, (item: unknown, i) => ((text += i === 0 ? "" : ","), put(item)));
      text += "]";
      return { kind: "sequence", flow: true, start, end: text.length, items };
    }
    if (typeof one === "object" && one !== null) {
      text += "{";
      const entries: Entry[] = [];
      for (const [name, child] of Object.entries(one)) {
        if (child === undefined || (lean && (child === null || isBlank(child)))) continue;
        if (entries.length > 0) text += ",";
        const from = text.length;
        text += JSON.stringify(name);
        const keyEnd = text.length;
        text += ":";
        const node = put(child);
        entries.push({ name, start: from, keyEnd, end: text.length, value: node });
      }
      text += "}";
      return { kind: "mapping", flow: true, start, end: text.length, entries, merges: [] };
    }
    const scalar = lean && isBlank(one) ? "" : scalarOf(one);
    text += JSON.stringify(scalar);
    return { kind: "scalar", style: "quoted", value: scalar, start, end: text.length };
  };
  const root = put(value);
  return { root, text };
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** What JSON cannot say is nothing. */
function scalarOf(value: unknown): Scalar {
  if (typeof value === "string") return wellFormed(value);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
