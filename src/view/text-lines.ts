/** Text in lines of so many columns, for pictures, which do not break it by themselves. Pure. */

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;

/** The text in a few lines, with an ellipsis where it is longer. */
export function linesIn(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || (lines.length < most && columnsOf(longer) > columns)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => clipped(line, columns));
}

/** The text, or its beginning with an ellipsis. */
export function clipped(text: string, most: number): string {
  if (columnsOf(text) <= most) return text;
  let kept = "";
  let columns = 0;
  for (const character of text) {
    columns += WIDE.test(character) ? 2 : 1;
    if (columns > most - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}
