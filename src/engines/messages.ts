/** What a page gets of an engine (SPEC section 10). Types only: the page's sources read them, too. */
import type { WorkerView } from "../loop/engine.ts";
import type { WatchedLoop } from "./watch.ts";

/** Of an engine: all of its loops and workers. */
export interface EngineMessage {
  readonly kind: "engine";
  readonly engine: string;
  /** `key` names the loop in addresses. */
  readonly loops: readonly (WatchedLoop & { readonly key: string })[];
  /** Loops that are not reported, because there are too many. */
  readonly left_out: number;
  readonly workers: readonly WorkerView[];
  /** When the engine answered last; null: never. */
  readonly seen_at: string | null;
  readonly away: string | null;
}
