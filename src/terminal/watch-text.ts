/** A text that is made again and again, redrawn in place: nothing flickers. */
import { fstatSync } from "node:fs";
import { looks } from "../history/follow.ts";
import type { Call } from "../command/call.ts";
import { clip } from "./clip.ts";
import { onInterrupt } from "../command/interrupt.ts";
import { update } from "./live-region.ts";
import { painterFor, type Painter } from "./paint.ts";
import { isScreen, screenOf, type Screen } from "./screen.ts";
import type { Answer } from "../command/spec.ts";
import { FULL_SCREEN, holdTerminal } from "./terminal-hold.ts";
import { Unusable } from "../command/unusable.ts";

/** After so long a pipe gets the same once more: only by writing is it learnt that nobody reads any more (`| head`). */
const REPEAT_MS = 10_000;

/**
 * Until Ctrl-C. @param textNow what is to be shown; on a terminal it has to fit on the screen
 * @param command for the refusal of `--json`
 * @throws Unusable
 */
export async function watchText(
  call: Call,
  command: string,
  textNow: (paint: Painter, screen: Screen | null) => Promise<string>,
): Promise<Answer> {
  if (call.json)
    throw new Unusable("--watch and --json exclude each other", `ask \`${command} --json\` again and again`);
  const paint = await painterFor(call.io);
  const terminal = await isScreen(call.io, 1);
  const piped = !terminal && isPipe(1);
  const interrupt = onInterrupt();
  let last = "";
  let saidAt = performance.now();
  const forget = (): void => {
    last = "";
  };
  const giveBack = terminal
    ? holdTerminal({ write: call.io.out, change: FULL_SCREEN, leave: forget })
    : () => undefined;
  try {
    for await (const _ of looks(interrupt.signal)) {
      const screen = terminal ? screenOf(process.stdout) : null;
      const reported = await textNow(paint, screen);
      const text = screen === null ? `${reported}\n\n` : frame(reported, screen);
      if (text !== last || (piped && performance.now() - saidAt >= REPEAT_MS)) {
        call.io.out(text);
        saidAt = performance.now();
      }
      last = text;
    }
  } finally {
    interrupt.release();
    giveBack();
  }
  return { exit: 0, json: {}, text: "" };
}

function isPipe(fd: number): boolean {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket();
}

/** Never more than the screen holds: a row too many or too long would scroll the first ones away. */
function frame(text: string, { columns, rows }: Screen): string {
  const lines = text.split("\n").slice(0, rows);
  // A row that reaches the last column would lose its last character to what erases behind it.
  return update(`\u001b[H${lines.map((line) => `${clip(line, columns - 1)}\u001b[K`).join("\r\n")}\u001b[J`);
}
