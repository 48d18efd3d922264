/** Journal lines in tests: made as they come out of a file, and looked into whatever their kind. */
import { decodeLine, decodeLines, isKnown } from "../../src/core/decode-line.ts";
import type { AnyLine, JournalLine } from "../../src/core/journal-line.ts";
import type { Engine } from "../../src/loop/engine.ts";

export function lineOf(value: object): AnyLine {
  const line = decodeLine(value);
  if (line === null) throw new Error(`no journal line: ${JSON.stringify(value)}`);
  return line;
}

export function fieldsOf(line: AnyLine): Readonly<Record<string, unknown>> {
  return line;
}

/** Everything that an engine keeps of a loop's journal. */
export async function hostedLines(engine: Pick<Engine, "journal">, loop: string): Promise<readonly JournalLine[]> {
  const reported: unknown[] = [];
  for (let part = await engine.journal(loop, 0); part.length > 0; part = await engine.journal(loop, reported.length))
    reported.push(...part);
  return decodeLines(reported).filter(isKnown);
}
