/** How much is done, as a bar. Pure. */
import type { Painter } from "./paint.ts";

/** Columns. */
export const WIDE_BAR = 24;
export const NARROW_BAR = 10;

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** @param share from 0 to 1; it is full only when everything is done. @param width columns */
export function progressBar(share: number, width: number, paint: Painter): string {
  const eighths = Math.floor(Math.min(1, Math.max(0, share)) * width * 8);
  const full = Math.floor(eighths / 8);
  const part = EIGHTHS[eighths % 8] ?? "";
  const rest = width - full - (part === "" ? 0 : 1);
  return `${paint("green", "█".repeat(full) + part)}${paint("dim", "░".repeat(rest))}`;
}
