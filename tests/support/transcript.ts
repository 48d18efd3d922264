/** Sessions as Claude Code keeps them, for the analyzer and the replay. */
import { join } from "node:path";

export const user = (content: unknown, more: object = {}): object => ({
  type: "user",
  cwd: "/p",
  message: { role: "user", content },
  ...more,
});
export const said = (text: string): object => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "text", text }] },
});
export const call = (id: string, tool: string, input: object, more: object = {}): object => ({
  type: "assistant",
  cwd: "/p",
  message: { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] },
  ...more,
});
export const bash = (id: string, command: string, more: object = {}): object => call(id, "Bash", { command }, more);
export const answer = (id: string, content: string, more: object = {}): object =>
  user([{ type: "tool_result", tool_use_id: id, content, ...more }]);
/** @param words the person's reason; empty: none */
export const refusal = (id: string, words = ""): object =>
  answer(
    id,
    `The user doesn't want to proceed with this tool use. The tool use was rejected.${words === "" ? "" : ` To tell you how to proceed, the user said:\n${words}`}`,
    { is_error: true },
  );

/** A person says what is wanted in the place of npm. */
export const CORRECTED = [
  user("install it"),
  bash("b1", "npm install x"),
  user("no, use pnpm instead of npm"),
  bash("b2", "pnpm add x"),
];

export function linesOf(entries: readonly (object | string)[]): string {
  return entries.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("");
}

/** What a reader of CORRECTED answers. */
export const USE_PNPM = {
  turn: 1,
  quote: "use pnpm instead of npm",
  call: 1,
  severity: "medium",
  rule: "Use pnpm, never npm.",
  name: "use-pnpm",
  when: [{ field: "command", pattern: String.raw`^npm\b` }],
};

/** A program that reads turns: it gives each of its calls the next answer, and the last one to all that follow. */
export function readerProgram(
  dir: string,
  answers: readonly object[],
): { readonly path: string; readonly text: string } {
  const text = `import { mkdirSync } from "node:fs";
const taken = (number) => { try { mkdirSync(${JSON.stringify(join(dir, "asked-"))} + number); return true; } catch { return false; } };
const answers = ${JSON.stringify(answers)};
let number = 0;
while (!taken(number)) number++;
console.log(JSON.stringify({ corrections: answers[Math.min(number, answers.length - 1)] }));
`;
  return { path: join(dir, "reader.mjs"), text };
}
