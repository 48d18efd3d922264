/** Text on a screen of a certain width. Pure. Painted text stays painted; its escape sequences take no space. */

const ESCAPE = /\u001b\[[0-9;]*m/y;
const ASCII = /^[\x20-\x7e]*$/;
const NO_SPACE = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** What most terminals draw two columns wide: East Asian scripts, full-width forms, emoji. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}])$/u;
/** Asks for the emoji form of the character before it, which is wide. */
const AS_EMOJI = "\ufe0f";

/**
 * How many columns a text without line breaks takes at most. Terminals differ about emoji that are joined of several
 * (families, flags): some draw one, some each part. The larger figure stands, so that no row is ever broken in two.
 */
export function widthOf(text: string): number {
  let width = 0;
  walk(text, (_, columns) => ((width += columns), true));
  return width;
}

/** At most so many columns of the text, the last one being an ellipsis where something was left out. */
export function clip(text: string, columns: number): string {
  if (text.length <= columns && ASCII.test(text)) return text;
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let painted = false;
  let left = columns - 1;
  walk(text, (piece, width) => {
    if (width > left) return false;
    left -= width;
    painted ||= piece.startsWith("\u001b");
    kept += piece;
    return true;
  });
  return `${kept}${columns > 0 ? "…" : ""}${painted ? "\u001b[0m" : ""}`;
}

/** As many of these as there is space for, the first ones first; one at least. */
export function fitting(parts: readonly string[], columns: number): string {
  let text = "";
  for (const part of parts) {
    const longer = text === "" ? part : `${text} · ${part}`;
    if (text !== "" && widthOf(longer) > columns) return text;
    text = longer;
  }
  return text;
}

let characters: Intl.Segmenter | undefined;

/** Each escape sequence and each character, as a person counts them, with its columns, until `visit` says enough. */
function walk(text: string, visit: (piece: string, columns: number) => boolean): void {
  for (let at = 0; at < text.length;) {
    ESCAPE.lastIndex = at;
    const escape = ESCAPE.exec(text)?.[0];
    if (escape !== undefined) {
      if (!visit(escape, 0)) return;
      at += escape.length;
      continue;
    }
    const next = text.indexOf("\u001b[", at + 1);
    const plain = text.slice(at, next < 0 ? text.length : next);
    for (const piece of piecesOf(plain)) if (!visit(piece, columnsOf(piece))) return;
    at += plain.length;
  }
}

function piecesOf(text: string): Iterable<string> {
  if (ASCII.test(text)) return text;
  characters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(characters.segment(text), ({ segment }) => segment);
}

function columnsOf(piece: string): number {
  if (piece.length === 1 && piece >= " " && piece <= "~") return 1;
  let columns = 0;
  for (const point of piece) columns += NO_SPACE.test(point) ? 0 : WIDE.test(point) ? 2 : 1;
  return piece.includes(AS_EMOJI) ? Math.max(2, columns) : columns;
}
