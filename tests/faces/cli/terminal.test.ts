/** What a person sees on a real terminal (SPEC section 10): the live region of a run, and `aot status --watch`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aot, aotPath, projectWith } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { createScreen } from "../../support/screen.ts";
import { onTerminal, whyNoTerminal, type Terminal } from "../../support/terminal.ts";

const CTRL_C = "\u0003";
const why = whyNoTerminal();

/** Waits, bounded, until the screen shows all of these. */
async function shows({ screen }: Terminal, ...words: readonly (string | RegExp)[]): Promise<void> {
  const seen = (word: string | RegExp): boolean =>
    screen.rows().some((row) => (typeof word === "string" ? row.includes(word) : word.test(row)));
  await eventually(`${words.map(String).join(", ")} on the screen`, () => words.every(seen), 30_000).catch(() => {
    throw new Error(`not all of ${words.map(String).join(", ")} on the screen:\n${screen.rows().join("\n")}`);
  });
}

/** A loop of two atoms, the second after the first; its agent waits for the file `go-<atom>`. */
function waitingLoop(): { readonly dir: string; go(atom: string): void; readonly run: readonly string[] } {
  const dir = temporaryFolder();
  const signs = temporaryFolder();
  const agent = join(signs, "agent.mjs");
  writeFileSync(
    agent,
    `import { existsSync, writeFileSync } from "node:fs";
    const sign = ${JSON.stringify(join(signs, "go-"))} + process.env.AOT_ATOM;
    const look = () => {
      if (!existsSync(sign)) return setTimeout(look, 20);
      writeFileSync("made.txt", "x");
      console.log(JSON.stringify({ success: true, summary: "made it", artifacts: [] }));
    };
    look();`,
  );
  const flags = ["--atom", "A1: Write the model", "--atom", "A2: Write the view <- A1", "--yes"];
  const ran = aot(["align", "Make it", "--check", "file: made.txt", ...flags], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
  return {
    dir,
    go: (atom) => writeFileSync(join(signs, `go-${atom}`), ""),
    run: [process.execPath, aotPath(), "run", "--in-place", "--agent", `command:"${process.execPath}" "${agent}"`],
  };
}

const SPINNING = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /;

describe.skipIf(why !== null)(`on a pseudo-terminal${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test("SPEC 10: a run shows what is at work in a region that is redrawn in place and leaves nothing behind", async () => {
    const { dir, go, run } = waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(terminal, /^. A1 .*Write the model/, /iteration 1 .* 1 at work/);
    const spinning = (): string[] => terminal.screen.rows().filter((row) => SPINNING.test(row));
    const [first = ""] = spinning();
    await eventually("the region is drawn anew", () => spinning()[0]?.[0] !== first[0], 30_000);
    expect(spinning(), "one row for the one atom at work").toHaveLength(1);
    go("A1");
    await shows(terminal, /A1.*made it|A1 resolved/, /^. A2 .*Write the view/);
    expect(spinning()).toHaveLength(1);
    go("A2");
    expect(await terminal.ended()).toBe(0);
    const all = [...terminal.screen.scrolled, ...terminal.screen.rows()];
    expect(all.filter((row) => SPINNING.test(row) || row.includes("at work"))).toEqual([]);
    expect(all.filter((row) => row.includes("Verified: the base case holds"))).toHaveLength(1);
  });

  test("SPEC 8: Ctrl-C at a run's terminal finishes the attempt in flight and stops; the region says so", async () => {
    const { dir, go, run } = waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(terminal, /^. A1 /);
    terminal.type(CTRL_C);
    await shows(terminal, /1 at work .*stopping/);
    go("A1");
    expect(await terminal.ended(), [...terminal.screen.scrolled, ...terminal.screen.rows()].join("\n")).toBe(10);
    const all = [...terminal.screen.scrolled, ...terminal.screen.rows()];
    expect(all.filter((row) => SPINNING.test(row) || row.includes("at work"))).toEqual([]);
  });

  test("SPEC 10: the region keeps to a terminal that becomes narrower", async () => {
    const { dir, go, run } = waitingLoop();
    const terminal = onTerminal(run, dir);
    await shows(terminal, /^. A1 .*Write the model/);
    terminal.resize(24, 10);
    await shows(terminal, /^. A1 /);
    // A row that is broken in two would stand between these.
    const isWhole = (row: string, index: number, rows: readonly string[]): boolean =>
      SPINNING.test(row) && /^ {2}iteration 1/.test(rows[index + 1] ?? "");
    await eventually("one row for the atom, one for the whole", () => terminal.screen.rows().some(isWhole), 30_000);
    expect(terminal.screen.rows().filter((row) => SPINNING.test(row))).toHaveLength(1);
    go("A1");
    go("A2");
    expect(await terminal.ended()).toBe(0);
  });

  test("SPEC 10: status --watch follows the file on a screen of its own, and gives the terminal back", async () => {
    const { dir } = projectWith();
    const terminal = onTerminal([process.execPath, aotPath(), "status", "--watch"], dir, 80, 24);
    await shows(terminal, "Log in with a token", "Session store");
    expect(terminal.screen).toMatchObject({ alternate: true, cursorShown: false });
    const top = terminal.screen.rows()[0];
    expect(aot(["atom", "add", "A9", "--description", "Logging out"], { cwd: dir }).code).toBe(0);
    await shows(terminal, "Logging out");
    expect(terminal.screen.rows()[0], "the first row stays where it is").toBe(top);
    terminal.resize(40, 8);
    // Rows that do not fit would scroll the first one away.
    await shows(terminal, /…$/);
    expect(terminal.screen.rows()[0]).toBe(top);
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen).toMatchObject({ alternate: false, cursorShown: true });
    expect([...terminal.screen.scrolled, ...terminal.screen.rows()].join("").replace("^C", "")).toBe("");
  });
});

test("the screen of these tests: what it shows is what a terminal would", () => {
  const screen = createScreen(5, 3);
  screen.feed("ab\r\ncdefgh\r\ni");
  expect([screen.rows(), screen.scrolled]).toEqual([["cdefg", "h", "i"], ["ab"]]);
  screen.feed("\u001b[2A\r\u001b[Jx\u001b");
  screen.feed("[?1049hfull\u001b[H\u001b[31mF\u001b[0m\u001b[K");
  expect([screen.rows()[0], screen.alternate]).toEqual(["F", true]);
  screen.feed("\u001b[?25l\u001b[?1049l");
  expect([screen.rows(), screen.alternate, screen.cursorShown]).toEqual([["x", "", ""], false, false]);
  expect(() => screen.feed("\u001b[5C")).toThrow("does not know");
});
