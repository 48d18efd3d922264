/** Whatever names a command of `aot`, a hint, a message or a page, names one that can be typed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AOT } from "../../../src/aot.ts";
import { parseCommand } from "../../../src/interfaces/cli/parse-command.ts";

interface Named {
  readonly file: string;
  readonly command: string;
}

const FILES = ["src", "docs", "plugin/commands", "plugin/skills", "plugin/agents"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|md)$/.test(name))
    .map((name) => join(folder, name)),
);

/** In backticks, in a template's escaped ones, too; what a template fills in is a word. */
function namedIn(file: string): Named[] {
  const text = readFileSync(file, "utf8").replaceAll(/\$\{[^{}]*\}/g, "X");
  return [...text.matchAll(/`(aot [^`\n]*?)\\?`/g)].map(([, command = ""]) => ({ file, command }));
}

/** As a shell splits it, up to a sign of the shell. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const end = words.findIndex((word) => /^(?:\\?\||&&|<|>|#|\.\.\.|\[.*)$/.test(word));
  const own = words.slice(1, end < 0 ? undefined : end);
  // At the end it is filled in by flags, or is an argument that the name alone leaves out.
  if (own.at(-1) === "FILE") own.pop();
  return own.map((word) => word.replaceAll(/["']/g, ""));
}

/** What is no command but a sentence, a pattern, or half a word. */
const OTHER = /\$\{|[(<]|:(?: |$)/;
/** A word that stands for another, or something that the name alone leaves out. */
const OPEN = /[`" -](?:X|[A-Z]{2,})[`"]?$|is missing$|needs a (?:value|command)$/;

/** Null: it can be typed. */
function whyNot({ command }: Named): string | null {
  const words = wordsOf(command);
  if (OTHER.test(command.replaceAll(/"[^"]*"/g, ""))) return null;
  const parsed = parseCommand(AOT, words, {});
  const isOpen = parsed.kind !== "usage" || (OPEN.test(parsed.message) && !parsed.message.startsWith("unexpected"));
  return isOpen ? null : parsed.message;
}

test("SPEC 8: every command that is named can be typed", () => {
  const named = [...FILES, "README.md", "GUARANTEES.md"].flatMap(namedIn);
  expect(named.length).toBeGreaterThan(500);
  const wrong = named.map((one) => ({ ...one, why: whyNot(one) })).filter(({ why }) => why !== null);
  expect(wrong).toEqual([]);
});
