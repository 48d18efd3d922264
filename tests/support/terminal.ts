/**
 * A command on a pseudo-terminal, and what a person sees of it. Node has no pseudo-terminals: `python3` lends one, and
 * where there is none the tests that need it are skipped (`whyNoTerminal`).
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { cleanEnv } from "./aot.ts";
import { eventually } from "./bundle.ts";
import { createScreen, type Screen } from "./screen.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/programs/terminal.py", import.meta.url));

/** Null: there is one. */
export function whyNoTerminal(): string | null {
  if (process.platform === "win32") return "pseudo-terminals of Windows are others";
  const found = spawnSync("python3", ["-c", "import fcntl, os, pty, termios; os.waitstatus_to_exitcode"]);
  return found.status === 0 ? null : "there is no python3 (3.9 or newer) to lend a pseudo-terminal";
}

export interface Terminal {
  readonly screen: Screen;
  /** Everything that it was sent, as it came. */
  raw(): string;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Its window is closed: whoever writes to it learns that. */
  hangUp(): void;
  ended(): Promise<number | null>;
}

/** Waits, bounded, until the screen shows all of these. */
export async function shows({ screen }: Terminal, ...words: readonly (string | RegExp)[]): Promise<void> {
  const seen = (word: string | RegExp): boolean =>
    screen.rows().some((row) => (typeof word === "string" ? row.includes(word) : word.test(row)));
  await eventually(`${words.map(String).join(", ")} on the screen`, () => words.every(seen), 50_000).catch(() => {
    throw new Error(`not all of ${words.map(String).join(", ")} on the screen:\n${screen.rows().join("\n")}`);
  });
}

/** Ends with the test at the latest. */
export function onTerminal(
  command: readonly string[],
  cwd: string,
  columns = 80,
  rows = 24,
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const child = spawn("python3", [FIXTURE, String(columns), String(rows), ...command], {
    cwd,
    env: cleanEnv({ TERM: "xterm-256color", ...env }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.stdin.end();
    await closed;
  });
  const screen = createScreen(columns, rows);
  child.stdout.setEncoding("utf8");
  let raw = "";
  child.stdout.on("data", (text: string) => {
    raw += text;
    screen.feed(text);
  });
  child.stdin.on("error", () => {
    // It ended meanwhile.
  });
  return {
    screen,
    raw: () => raw,
    type: (keys) => child.stdin.write(keys),
    resize(width, height) {
      screen.resize(width, height);
      child.stdin.write(`\0${width} ${height}\n`);
    },
    hangUp: () => child.stdin.write("\0gone\n"),
    ended: async () => {
      const [code] = (await closed) as [number | null];
      await screen.settled();
      return code;
    },
  };
}
