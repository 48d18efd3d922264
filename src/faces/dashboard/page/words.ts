/** Numbers and moments in a person's words. */
import { formatDuration } from "../../../core/fuel.ts";

export function clock(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "–" : date.toTimeString().slice(0, 8);
}

export function moment(time: string | number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "–";
  const day = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  return `${day} ${clock(time)}`;
}

export function dollars(value: number): string {
  return `$${value.toFixed(value !== 0 && value < 0.1 ? 3 : 2)}`;
}

export function thousands(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(value);
}

export function lasting(ms: number): string {
  return formatDuration(ms);
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
