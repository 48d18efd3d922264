/** Numbers and moments in a person's words. Pure. */
import { counted } from "../core/counted.ts";

/** Whose clock is meant: the reader's on a page, nobody's in a file that travels. */
export type Zone = "local" | "UTC";

/** `10:00:00` */
export function clock(time: string | number, zone: Zone = "local"): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "–";
  return zone === "UTC" ? date.toISOString().slice(-13, -5) : date.toTimeString().slice(0, 8);
}

/** `2026-01-01 10:00:00`, with its zone if that is not the reader's. */
export function moment(time: string | number, zone: Zone = "local"): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "–";
  if (zone === "UTC") return `${date.toISOString().slice(0, -14)} ${clock(time, zone)} UTC`;
  const day = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  return `${day} ${clock(time)}`;
}

/** Less than a cent is not nothing. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 3 : 2)}`;
}

/** What was spent, of its limit. A program that tells no cost is not for nothing. */
export function costWords(usd: number, limit = Infinity): string {
  if (usd === 0) return `no cost reported${Number.isFinite(limit) ? ` (limit ${dollars(limit)})` : ""}`;
  return `${dollars(usd)}${Number.isFinite(limit) ? ` of ${dollars(limit)}` : ""}`;
}

/** @param others calls that were no attempt */
export function callsWords(attempts: number, others: number, failed = 0): string {
  const made = `${counted(attempts, "attempt")}${failed === 0 ? "" : ` (${failed} failed)`}`;
  return `${made}${others === 0 ? "" : `, ${counted(others, "other call")}`}`;
}

export function thousands(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(value);
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Marks that turn the direction of writing: behind them a text reads otherwise than it is. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** What programs and agents wrote, with such marks spelled out. */
export function visible(text: string): string {
  return text.replaceAll(TURNING, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** The same for a terminal, which nothing in it may steer: without escape sequences, its control characters as blanks. */
export function printable(text: string): string {
  return visible(text)
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replaceAll(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ");
}
