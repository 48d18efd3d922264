/** What the trail tells of the choices. Pure. */
import type { State, TrailEntry } from "../core/state.ts";

/** The trail without what stands among the redirects: a change of the graph by hand is recorded in both. */
export function choicesIn({ trail, corrections }: Pick<State, "trail" | "corrections">): readonly TrailEntry[] {
  const reported = new Set(corrections.map(({ timestamp }) => timestamp));
  return trail.filter((entry) => "or_group" in entry || !reported.has(entry.timestamp));
}
