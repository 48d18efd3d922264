/** What a terminal shows after some output: @xterm/headless, as rows of text. */
import xterm from "@xterm/headless";

export interface Frame {
  readonly rows: readonly string[];
  /** Where the cursor stands, from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface Screen {
  /** Shown at once or a moment later; see `settled`. */
  feed(text: string): void;
  /** Everything that was fed is shown. */
  settled(): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The rows, without blanks at their ends. */
  rows(): readonly string[];
  /** The rows that have been scrolled away at the top. */
  readonly scrolled: readonly string[];
  /** Whether the other screen is shown, that of full-screen programs. */
  readonly alternate: boolean;
  readonly cursorShown: boolean;
  /** What stood there at the end of each synchronized update: what a person sees of it. */
  readonly frames: readonly Frame[];
}

const SYNCHRONIZED = 2026;
const CURSOR = 25;

export function createScreen(columns: number, rows: number): Screen {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const frames: Frame[] = [];
  let cursorShown = true;
  const linesOf = (from: number, to: number, buffer = terminal.buffer.active): string[] =>
    Array.from(
      { length: Math.max(0, to - from) },
      // Where the screen has become narrower, its buffer still has what nobody sees.
      (_, index) => buffer.getLine(from + index)?.translateToString(true, 0, terminal.cols) ?? "",
    );
  const shown = (): string[] => {
    const { baseY } = terminal.buffer.active;
    return linesOf(baseY, baseY + terminal.rows);
  };
  const { parser } = terminal;
  parser.registerCsiHandler({ prefix: "?", final: "h" }, ([mode]) => {
    if (mode === CURSOR) cursorShown = true;
    return false;
  });
  parser.registerCsiHandler({ prefix: "?", final: "l" }, ([mode]) => {
    if (mode === CURSOR) cursorShown = false;
    const { cursorX: column, cursorY: row } = terminal.buffer.active;
    if (mode === SYNCHRONIZED) frames.push({ rows: shown(), cursor: { row, column } });
    return false;
  });
  return {
    feed: (text) => terminal.write(text),
    settled: () => new Promise((resolve) => terminal.write("", resolve)),
    resize: (width, height) => terminal.resize(width, height),
    rows: shown,
    get scrolled() {
      return linesOf(0, terminal.buffer.normal.baseY, terminal.buffer.normal);
    },
    get alternate() {
      return terminal.buffer.active.type === "alternate";
    },
    get cursorShown() {
      return cursorShown;
    },
    frames,
  };
}
