/**
 * What a terminal shows after some output: just the control sequences that `aot` uses. Anything else throws, so that a
 * test never looks at a screen that a person does not see.
 */
export interface Screen {
  feed(text: string): void;
  resize(columns: number, rows: number): void;
  /** The rows, without blanks at their ends. */
  rows(): readonly string[];
  /** The rows that have been scrolled away at the top. */
  readonly scrolled: readonly string[];
  /** Whether the other screen is shown, that of full-screen programs. */
  readonly alternate: boolean;
  readonly cursorShown: boolean;
}

const TOKEN = /\u001b\[([?0-9;]*)([A-Za-z])|\u001b(?!\[)|\r|\n|[^\u001b\r\n]/gu;

interface Page {
  cells: string[][];
  row: number;
  column: number;
}

export function createScreen(width: number, height: number): Screen {
  let columns = width;
  let rows = height;
  let rest = "";
  const blank = (): Page => ({ cells: Array.from({ length: rows }, () => []), row: 0, column: 0 });
  const main = blank();
  let page = main;
  let cursorShown = true;
  const scrolled: string[] = [];

  const textOf = (cells: readonly string[]): string =>
    Array.from(cells, (cell) => cell ?? " ")
      .join("")
      .trimEnd();
  const lineFeed = (): void => {
    if (page.row < rows - 1) {
      page.row++;
      return;
    }
    const [first = []] = page.cells.splice(0, 1);
    if (page === main) scrolled.push(textOf(first));
    page.cells.push([]);
  };
  const put = (character: string): void => {
    if (page.column >= columns) {
      page.column = 0;
      lineFeed();
    }
    const cells = page.cells[page.row] ?? [];
    for (let column = cells.length; column < page.column; column++) cells[column] = " ";
    cells[page.column++] = character;
    page.cells[page.row] = cells;
  };
  const control = (given: string, kind: string): void => {
    const count = Number(given === "" ? "1" : given);
    if (kind === "m") return;
    if (kind === "A") page.row = Math.max(0, page.row - count);
    else if (kind === "H" && given === "") [page.row, page.column] = [0, 0];
    else if (kind === "K" && given === "") page.cells[page.row]?.splice(page.column);
    else if (kind === "J" && given === "") {
      page.cells[page.row]?.splice(page.column);
      for (let row = page.row + 1; row < rows; row++) page.cells[row] = [];
    } else if (given === "?1049" && kind === "h") page = blank();
    else if (given === "?1049" && kind === "l") page = main;
    else if (given === "?25" && (kind === "h" || kind === "l")) cursorShown = kind === "h";
    else throw new Error(`this screen does not know ESC [ ${given} ${kind}`);
  };

  return {
    feed(text) {
      const all = rest + text;
      // A sequence may be cut in two.
      const cut = /\u001b(?:\[[?0-9;]*)?$/.exec(all);
      rest = cut === null ? "" : cut[0];
      for (const token of all.slice(0, all.length - rest.length).matchAll(TOKEN)) {
        const [whole, given = "", kind] = token;
        if (kind !== undefined) control(given, kind);
        else if (whole === "\r") page.column = 0;
        else if (whole === "\n") lineFeed();
        else if (whole === "\u001b") throw new Error("this screen does not know a lone escape");
        else put(whole);
      }
    },
    resize(wider, higher) {
      [columns, rows] = [wider, higher];
      while (page.cells.length < rows) page.cells.push([]);
      page.cells.length = rows;
      page.row = Math.min(page.row, rows - 1);
    },
    rows: () => page.cells.map(textOf),
    scrolled,
    get alternate() {
      return page !== main;
    },
    get cursorShown() {
      return cursorShown;
    },
  };
}
