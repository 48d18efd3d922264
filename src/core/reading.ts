/**
 * Reading JSON that somebody else wrote: a value of the kind that was asked for, or a sentence that
 * says what is wrong with what came instead. The pieces throw TypeMismatch, `reading` catches it.
 */

export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };
export type Read<T> = (answer: unknown) => Reading<T>;

/** Levels of lists and objects inside one another: twice what a checklist of a state file may have. */
const DEEPEST_NESTING = 200;

/** The value of a text that is one JSON document. A byte order mark at its beginning is passed over. Never throws. */
export function parseJson(text: string): Reading<unknown> {
  try {
    return shallow(JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text));
  } catch (error) {
    return { ok: false, problem: `is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The object that a text is as JSON; null: it is none, or one that is nested too deep. */
export function parseObject(text: string): JsonObject | null {
  const parsed = parseJson(text);
  return parsed.ok ? objectIn(parsed.value) : null;
}

/** Refuses a value that is nested so deep that a function which calls itself on it would run out of stack. */
export function shallow(value: unknown): Reading<unknown> {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_NESTING) return { ok: false, problem: `is nested deeper than ${DEEPEST_NESTING} levels` };
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return { ok: true, value };
}

/** What reads an answer that is a JSON object. @param name of the whole, for its problems */
export function reader<T>(name: string, read: (given: JsonObject) => T): Read<T> {
  return (answer) => {
    const fits = shallow(answer);
    return fits.ok ? reading(() => read(record(answer, name))) : { ok: false, problem: `${name} ${fits.problem}` };
  };
}

/** Half of a character, which no file can hold, becomes U+FFFD. */
export function wellFormed(value: string): string {
  return value.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

/** Never leaves `reading`, which turns it into a value. */
export class TypeMismatch extends Error {}

function reading<T>(read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof TypeMismatch) return { ok: false, problem: error.message };
    throw error;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Null: it is no JSON object. */
export function objectIn(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function record(value: unknown, name: string): JsonObject {
  const object = objectIn(value);
  if (object === null) throw new TypeMismatch(`${name} has to be a JSON object, not ${show(value)}`);
  return object;
}

export function text(value: unknown, name: string): string {
  if (typeof value !== "string" || value.trim() === "")
    throw new TypeMismatch(`${quote(name)} has to be a text that is not empty, not ${show(value)}`);
  return wellFormed(value);
}

export function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeMismatch(`${quote(name)} has to be a list, not ${show(value)}`);
  return value;
}

function quote(name: string): string {
  return JSON.stringify(name);
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 80)}...` : shown;
}
