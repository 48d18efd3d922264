/** A transcript's lines, whichever client wrote them (SPEC section 17). Each line tells by its form whose it is. */
import { readClaudeLine } from "./claude.ts";
import { createCodexReader } from "./codex.ts";
import { createCopilotReader } from "./copilot.ts";
import type { LineReading } from "./entry.ts";
import { parseObject, textOf } from "./json.ts";

/** Reads the lines of one file in their order; never throws, whatever a line holds. */
export function createReader(): (line: string) => LineReading {
  const codex = createCodexReader();
  const copilot = createCopilotReader();
  return (line) => {
    const value = parseObject(line);
    if (value === undefined) return { kind: "unreadable" };
    if (value["payload"] !== undefined) return codex(value);
    const dotted = /^(?:abort|[a-z]+\.[a-z_.]+)$/.test(textOf(value["type"]));
    return dotted && value["data"] !== undefined ? copilot(value) : readClaudeLine(value);
  };
}
