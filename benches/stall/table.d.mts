import type { Tally, Trial } from "./study.mjs";

export interface Row {
  /** Which of the runs. */
  readonly runs: string;
  readonly what: string;
  readonly figure: number;
  readonly most: number;
  readonly unit: string;
  readonly tallies: Readonly<Record<string, Tally>>;
}

export function rowsOf(
  found: Readonly<Record<string, readonly Trial[]>>,
  apart?: Readonly<Record<string, readonly Trial[]>>,
): readonly Row[];
export function stallTable(title: string, rows: readonly (Row & { readonly verdict: string })[]): string;
