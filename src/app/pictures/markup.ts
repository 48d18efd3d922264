/** Text inside XML and HTML: whatever people and programs wrote, nothing of it is taken for markup. Pure. */

/** What XML 1.0 cannot hold, escaped or not, becomes a question mark: programs print what they like. */
const UNHOLDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** As the content of an element. */
export function markupText(value: string): string {
  return value.replaceAll(UNHOLDABLE, "?").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** As the value of an attribute, between double quotes. */
export function markupAttribute(value: string): string {
  return markupText(value)
    .replaceAll('"', "&quot;")
    .replaceAll(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`);
}
