/** The limits of a loop in a sentence, as question, plan and pages have it. Pure. */
import { formatDuration, type Limits } from "../core/fuel.ts";
import { dollars, thousands } from "./words.ts";

/** `stops after 20 iterations, 5 attempts of one atom, 2h 0m or $10.00`, and what has no limit. */
export function limitWords(limits: Limits): string {
  const { max_iterations, max_attempts_per_atom, max_duration_ms, max_cost_usd, max_tokens } = limits;
  const set = (value: number, words: string): readonly string[] => (Number.isFinite(value) ? [words] : []);
  const all = [
    `${max_iterations} iterations`,
    ...set(max_attempts_per_atom, `${max_attempts_per_atom} attempts of one atom`),
    ...set(max_tokens, `${thousands(max_tokens)} tokens`),
    ...set(max_duration_ms, formatDuration(max_duration_ms)),
    ...set(max_cost_usd, dollars(max_cost_usd)),
  ];
  const free = [
    ...(Number.isFinite(max_duration_ms) ? [] : ["--max-duration"]),
    ...(Number.isFinite(max_cost_usd) ? [] : ["--max-cost-usd"]),
  ];
  const last = all.length > 1 ? `${all.slice(0, -1).join(", ")} or ${all.at(-1)}` : all.join("");
  return `stops after ${last}${free.length === 0 ? "" : `; not limited: ${free.join(", ")}`}`;
}
