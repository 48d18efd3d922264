/** Text on a screen of a certain width. Pure. Painted text stays painted; its escape sequences take no room. */

const ESCAPE = /\u001b\[[0-9;]*m/y;
const NO_ROOM = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** What most terminals draw two columns wide: East Asian scripts, full-width forms, emoji. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])$/u;

/** How many columns a text without line breaks takes. */
export function widthOf(text: string): number {
  let width = 0;
  walk(text, (_, columns) => ((width += columns), true));
  return width;
}

/** At most so many columns of the text, the last one being an ellipsis where something was left out. */
export function clip(text: string, columns: number): string {
  if (text.length <= columns && /^[\x20-\x7e]*$/.test(text)) return text;
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

/** Each escape sequence and each character with its columns, until `visit` says that it is enough. */
function walk(text: string, visit: (piece: string, columns: number) => boolean): void {
  for (let at = 0; at < text.length;) {
    ESCAPE.lastIndex = at;
    const escape = ESCAPE.exec(text)?.[0];
    const piece = escape ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    const columns = escape !== undefined || NO_ROOM.test(piece) ? 0 : WIDE.test(piece) ? 2 : 1;
    if (!visit(piece, columns)) return;
    at += piece.length;
  }
}
