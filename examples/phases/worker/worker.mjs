// The agent whose run was recorded (`node examples/phases/run.mjs --record`). It is a script, not a model: it knows what
// to write for each atom, and hears why it is asked once more.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const PLAN = "# Plan\n\nTwo functions, each in a file of its own below `src/`, and the tests that are there.\n";
const README = "# Converter\n\n`toFahrenheit(100)` is 212.\n";
const FILES = {
  outline: { "PLAN.md": PLAN },
  "outline.2": { "PLAN.md": `${PLAN}\nRisk: rounding. Nothing is rounded; callers do as they like.\n` },
  "to-fahrenheit": {
    "src/to-fahrenheit.mjs": "export function toFahrenheit(celsius) {\n  return (celsius * 9) / 5 + 32;\n}\n",
  },
  "to-celsius": {
    "src/to-celsius.mjs": "export function toCelsius(fahrenheit) {\n  return ((fahrenheit - 32) * 5) / 9;\n}\n",
  },
  readme: { "README.md": README },
  "readme.2": { "README.md": `${README}\n\`toCelsius(212)\` is 100.\n` },
};

const { atom, nogoods } = JSON.parse(readFileSync(0, "utf8"));
const files = FILES[atom?.id];
for (const [path, text] of Object.entries(files ?? {})) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const heard = nogoods.length === 0 ? "" : ` (${nogoods.map(({ reason }) => reason.split("\n")[0]).join("; ")})`;
const answer =
  files === undefined
    ? { success: false, summary: `nobody knows how to do this: ${atom?.id}`, artifacts: [] }
    : { success: true, summary: `wrote ${Object.keys(files).join(", ")}${heard}`, artifacts: Object.keys(files) };
process.stdout.write(
  `${JSON.stringify({ ...answer, usage: { cost_usd: 0.02, input_tokens: 3_000, output_tokens: 300 } })}\n`,
);
