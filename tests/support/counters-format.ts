/** A stand-in for a state file: lines `<name> <number>`. What is not of that form is not valid. */
import type { Format } from "../../src/adapters/store/document-file.ts";
import type { Problem, Result } from "../../src/core/problem.ts";

export interface Counters {
  readonly text: string;
  readonly value: ReadonlyMap<string, number>;
}

function problem(message: string): Problem {
  return { code: "wrong_type", message };
}

function parse(text: string): Result<Counters> {
  const value = new Map<string, number>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, name, number] = /^(\w+) +(\d+)$/.exec(line) ?? [];
    if (name === undefined) return { ok: false, problems: [problem(`not a counter: ${line}`)] };
    value.set(name, Number(number));
  }
  return text.endsWith("\n") ? { ok: true, value: { text, value } } : { ok: false, problems: [problem("cut off")] };
}

export const COUNTERS: Format<Counters, ReadonlyMap<string, number>> = {
  max_bytes: 1_000_000,
  missing_hint: "make one",
  decode: (bytes) => ({ ok: true, value: new TextDecoder().decode(bytes) }),
  parse,
  textOf: (document) => document.text,
  valueOf: (document) => document.value,
  check: (value) => (value.size === 0 ? [problem("no counters")] : []),
  print: (_document, next) => ({ ok: true, value: [...next].map(([name, number]) => `${name} ${number}\n`).join("") }),
};
