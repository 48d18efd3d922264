/** `aot align` by questions, on a real terminal (SPEC section 10). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aotPath } from "../../support/aot.ts";
import { temporaryFolder } from "../../support/bundle.ts";
import { onTerminal, shows, whyNoTerminal, type Terminal } from "../../support/terminal.ts";

const why = whyNoTerminal();
const ENTER = "\r";

/** Answers each of these questions with what it proposes. */
async function agrees(terminal: Terminal, ...questions: readonly string[]): Promise<void> {
  for (const question of questions) {
    await shows(terminal, question);
    terminal.type(ENTER);
  }
}

/** The questions about the goal's words, and the last one. */
const WORDS = ["Why is it wanted?", "What is handed over?", "in words?", "Write .claude"];

const stateIn = (dir: string): string => readFileSync(join(dir, ".claude", "aot-loop-state.md"), "utf8");

const keptIn = (dir: string): unknown =>
  JSON.parse(readFileSync(join(dir, ".claude", "aot-loop", "alignment.json"), "utf8"));

describe.skipIf(why !== null)(`on a pseudo-terminal${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test("SPEC 10: what was said on the command line is not asked again", async () => {
    const dir = temporaryFolder();
    const said = ["Make it", "--check", "file: made.txt", "--atom", "A1: Write it", "--background", "b"];
    const terminal = onTerminal([process.execPath, aotPath(), "align", ...said, "--done", "when it is"], dir);
    await shows(terminal, "What is handed over?");
    const asked = terminal.screen.rows().join("\n");
    expect(asked).not.toMatch(/What is the goal|Keep these checks|Keep this work|Why is it wanted/);
    await agrees(terminal, "What is handed over?", "Write .claude");
    expect(await terminal.ended()).toBe(0);
    expect(stateIn(dir)).toContain(`background_intent: "b"`);
  }, 120_000);

  test("SPEC 6: a check that was written already is reported at once; a unit names the one before it as an example", async () => {
    const dir = temporaryFolder();
    const terminal = onTerminal([process.execPath, aotPath(), "align", "Make it"], dir, 80, 40);
    await shows(terminal, "A check that decides");
    terminal.type(`test -f made.txt${ENTER}`);
    await shows(terminal, "Another check");
    terminal.type(`command: test -f made.txt${ENTER}`);
    await shows(terminal, "among them already");
    terminal.type(`\u0015${ENTER}`);
    await shows(terminal, "First unit of work");
    terminal.type(`model: Write it${ENTER}`);
    await shows(terminal, "Next unit (A2: what <- model");
    terminal.type("\u0003");
    expect(await terminal.ended()).toBe(1);
    expect(terminal.screen.rows().join("")).toContain("aot align --from .claude/aot-loop/alignment.json");
    expect(existsSync(join(dir, ".claude", "aot-loop-state.md"))).toBe(false);
    expect(keptIn(dir)).toMatchObject({
      goal: "Make it",
      base_case: { checklist: [{ item: "test -f made.txt" }] },
      atoms: [{ id: "model", description: "Write it" }],
    });
  }, 120_000);

  test("SPEC 10: a check that cannot run loses nothing: it is written anew, and the rest stays as it was answered", async () => {
    const dir = temporaryFolder();
    const said = ["Make it", "--check", "no-such-program-xyz", "--atom", "A1: Write it", "--done", "when it is"];
    const terminal = onTerminal([process.execPath, aotPath(), "align", ...said], dir, 80, 60);
    await shows(terminal, "Why is it wanted?");
    terminal.type(`because${ENTER}`);
    await shows(terminal, "What is handed over?");
    terminal.type(ENTER);
    await shows(terminal, "What now?");
    expect(terminal.screen.rows().join("\n")).toContain("there is no such program");
    terminal.type(ENTER);
    await shows(terminal, "A check that decides");
    terminal.type(`file: made.txt${ENTER}`);
    await agrees(terminal, "Another check", "Write .claude");
    expect(await terminal.ended()).toBe(0);
    const state = stateIn(dir);
    for (const part of ['background_intent: "because"', 'deliverables: "Not stated."', "made.txt", "Write it"])
      expect(state).toContain(part);
    expect(state).not.toContain("no-such-program");
    expect(existsSync(join(dir, ".claude", "aot-loop", "alignment.json"))).toBe(false);
  }, 120_000);

  test("SPEC 2: a unit that waits for one that is not there is reported at once, while it can be written anew", async () => {
    const dir = temporaryFolder();
    const terminal = onTerminal(
      [process.execPath, aotPath(), "align", "Make it", "--check", "file: made.txt"],
      dir,
      80,
      40,
    );
    await shows(terminal, "First unit of work");
    terminal.type(`A1: Write it${ENTER}`);
    await shows(terminal, "Next unit (A2");
    terminal.type(`Read it <- A9${ENTER}`);
    await shows(terminal, "there is no A9 yet: so far there is A1");
    terminal.type(`\u007f1${ENTER}`);
    await agrees(terminal, "Next unit (A3", ...WORDS);
    expect(await terminal.ended()).toBe(0);
    expect(stateIn(dir)).toMatch(/description: "Read it"\n.*\n {4}depends_on: \[A1\]/);
  }, 120_000);

  test("SPEC 6: the project's own tests that were added to a draft are said in the one question, and can be left out there", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "package.json"), '{"scripts": {"test": "exit 0"}}');
    writeFileSync(join(dir, "drafter.mjs"), DRAFTER.replace(/questions: .*/, ""));
    const said = ["Make it", "--draft", "--agent", `command:${JSON.stringify(process.execPath)} drafter.mjs`];
    const terminal = onTerminal([process.execPath, aotPath(), "align", ...said], dir, 80, 60);
    await agrees(terminal, "Keep these checks", "Keep this work", ...WORDS.slice(0, -1));
    await shows(terminal, "Yes, without npm test");
    expect(terminal.screen.rows().join("\n")).toContain("added   npm test: your own tests pass now");
    terminal.type(`\u001b[B${ENTER}`);
    expect(await terminal.ended()).toBe(0);
    expect(stateIn(dir)).toContain("plain.txt");
    expect(stateIn(dir)).not.toContain("npm test");
  }, 120_000);

  test("SPEC 10: what a draft asks is put to the person, three at most; an answer that surprises it makes it draft again", async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "drafter.mjs"), DRAFTER);
    const agent = `command:${JSON.stringify(process.execPath)} drafter.mjs`;
    const said = ["Make it", "--draft", "--agent", agent];
    const terminal = onTerminal([process.execPath, aotPath(), "align", ...said], dir, 80, 60);
    await shows(terminal, "Which store?");
    expect(terminal.screen.rows().join("\n")).toContain("a file");
    terminal.type(`\u0015a database${ENTER}`);
    await agrees(terminal, "Which port?", "Which name?");
    await shows(terminal, "Keep these checks");
    const shown = terminal.screen.rows().join("\n");
    expect(shown).toContain("database.txt");
    expect(terminal.raw()).not.toContain("Which colour?");
    await agrees(terminal, "Keep these checks", "Keep this work", ...WORDS);
    expect(await terminal.ended()).toBe(0);
    const state = stateIn(dir);
    for (const part of ["database.txt", "Which store?", "a database", "8080"]) expect(state).toContain(part);
    expect(readFileSync(join(dir, "calls"), "utf8")).toBe("xxx");
  }, 120_000);
});

/** Asks four things, which is refused, then three, and drafts by what its prompt says. */
const DRAFTER = `
import { appendFileSync, readFileSync } from "node:fs";
let text = "";
for await (const part of process.stdin) text += part;
appendFileSync("calls", "x");
const isFirst = readFileSync("calls", "utf8") === "x";
const { prompt } = JSON.parse(text);
const file = prompt.includes("a database") ? "database.txt" : "plain.txt";
const ask = (question, assumption) => ({ question, assumption });
console.log(JSON.stringify({
  goal: "Make it", background_intent: "b", deliverables: "d", definition_of_done: "when it is",
  base_case: { checklist: [{ item: "it is there", check: { type: "file", value: file } }] },
  atoms: [{ id: "A1", description: "Write it" }],
  questions: [ask("Which store?", "a file"), ask("Which port?", "8080"), ask("Which name?", "it"), ...(isFirst ? [ask("Which colour?", "red")] : [])],
}));
`;
