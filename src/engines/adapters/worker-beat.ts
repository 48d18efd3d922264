/** What a worker tells of itself, whichever engine it is; the time is the engine's. */
import type { WorkerView } from "../../loop/engine.ts";

export type Beat = Omit<WorkerView, "seen_at">;
