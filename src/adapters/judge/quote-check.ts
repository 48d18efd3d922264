/**
 * Whether a judge's quotes stand where it says (SPEC section 6).
 *
 * QUOTE-CHECK-1 a quote counts when its text, white space aside, is in the file within NEAR lines of the named line;
 * QUOTE-CHECK-2 a few letters stand everywhere: what is shorter than SHORTEST has to be whole lines;
 * QUOTE-CHECK-3 files are read as `checkout-files.ts` has them, never from a worker's folder.
 */
import type { Quote } from "../../core/verdict.ts";
import type { CheckoutFiles } from "./checkout-files.ts";

/** Lines. */
export const NEAR = 5;
/** Characters. */
export const SHORTEST = 8;
/** A quote of more lines quotes nothing in particular. */
const MOST_LINES = 40;

/** The first quote that does not stand, as a sentence; null: all do. */
export async function falseQuote(quotes: readonly Quote[], files: CheckoutFiles): Promise<string | null> {
  for (const quote of quotes) {
    const read = await files.read(quote.file);
    const why = read.ok ? quoteProblem(quote, read.text) : read.why;
    if (why !== null) return `it quotes ${clip(quote.file).slice(1, -1)}:${quote.line} ${clip(quote.text)}: ${why}`;
  }
  return null;
}

/** QUOTE-CHECK-1, QUOTE-CHECK-2. Why `quote` is not in `text`; null: it does. */
export function quoteProblem(quote: Quote, text: string): string | null {
  const wanted = quote.text.split("\n");
  if (wanted.length > MOST_LINES) return `a quote has at most ${MOST_LINES} lines`;
  const from = Math.max(0, quote.line - 1 - NEAR);
  const near = text.split("\n").slice(from, quote.line - 1 + NEAR + wanted.length);
  const readings = [wanted, wanted.map((line) => line.replace(/^\s*\+?\d+(?:\||→|\t) ?/, ""))].map(squeezed);
  if (readings.every((reading) => reading === "")) return "the quote is empty";
  return readings.some((reading) => reading !== "" && stands(reading, wanted.length, near))
    ? null
    : `that is not in the file within ${NEAR} lines of line ${quote.line}`;
}

function stands(reading: string, count: number, near: readonly string[]): boolean {
  if (reading.length >= SHORTEST) return squeezed(near).includes(reading);
  return near.some((_, start) => squeezed(near.slice(start, start + count)) === reading);
}

function squeezed(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
}

function clip(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
