/** Text for a terminal of a certain width, broken between words and never inside of one, nor of a command. Pure. */
import { widthOf } from "./clip.ts";

const HANG = "  ";

/** Each line as it is where it fits; what follows of a longer one is below it, a little further in. */
export function fold(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (widthOf(line) <= columns ? line : foldLine(line, columns)))
    .join("\n");
}

function foldLine(line: string, columns: number): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const hang = widthOf(indent) + HANG.length <= columns / 2 ? indent + HANG : "";
  const rows: string[] = [];
  let row = "";
  for (const word of wordsOf(line, columns - hang.length)) {
    if (row === "" || widthOf(row + word) <= columns) row += word;
    else {
      rows.push(row);
      row = hang + word.trimStart();
    }
  }
  return [...rows, row].join("\n");
}

/** A command between backticks is one word, if it fits on a row at all. */
function wordsOf(line: string, columns: number): readonly string[] {
  const words = line.match(/ *(?:`[^`]*`|[^ ])+/g) ?? [];
  return words.flatMap((word) => (widthOf(word) <= columns ? [word] : (word.match(/ *[^ ]+/g) ?? [])));
}
