/** @see evidence/campaigns.mjs */
export interface Campaign {
  readonly name: string;
  readonly shows: string;
  /** Files and folders, from the package's root. */
  readonly rests_on: readonly string[];
  /** What Node runs, one after another. */
  readonly sample: readonly (readonly string[])[];
  /** Absent: the sample is the whole. */
  readonly full?: readonly (readonly string[])[];
  /** Picks the lines of the output that say what was shown. */
  readonly figures: RegExp;
}
export const CAMPAIGNS: readonly Campaign[];
