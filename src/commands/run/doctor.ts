import { examine } from "../../app/doctor.ts";
import { painterFor } from "../paint.ts";
import type { Run } from "../spec.ts";
import { stateFileOf } from "../state-file.ts";

const MARKS = { good: ["✓", "green"], warn: ["!", "yellow"], bad: ["✗", "red"] } as const;

export const run: Run = async (call) => {
  const findings = await examine(stateFileOf(call).path);
  const paint = await painterFor(call.io);
  const width = Math.max(...findings.map((finding) => finding.name.length));
  const lines = findings.flatMap(({ name, level, detail, hint }) => {
    const [mark, colour] = MARKS[level];
    const line = `${paint(colour, mark)} ${name.padEnd(width)}  ${detail}`;
    return hint === undefined ? [line] : [line, `  ${" ".repeat(width)}  ${paint("dim", hint)}`];
  });
  const healthy = findings.every((finding) => finding.level !== "bad");
  return { exit: healthy ? 0 : 1, json: { success: healthy, findings }, text: lines.join("\n") };
};
