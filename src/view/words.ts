/** Numbers and moments in a person's words. Pure. */

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

export function thousands(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(value);
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
