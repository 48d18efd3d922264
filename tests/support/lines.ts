/** Journal lines in tests: made as they come out of a file, and looked into whatever their kind. */
import { decodeLine } from "../../src/core/decode-line.ts";
import type { AnyLine } from "../../src/core/journal-line.ts";

export function lineOf(value: object): AnyLine {
  const line = decodeLine(value);
  if (line === null) throw new Error(`no journal line: ${JSON.stringify(value)}`);
  return line;
}

export function fieldsOf(line: AnyLine): Readonly<Record<string, unknown>> {
  return line;
}
