/** Looking on at a loop that an engine works, until it halts. */
import type { JournalLine } from "../../core/journal.ts";
import type { Result } from "../../core/problem.ts";
import type { Engine, LoopView } from "../../loop/engine.ts";
import { asking } from "./engine-client.ts";

const LOOK_EVERY_MS = 400;

/**
 * @param each sees every journal line in its order
 * @param from how many lines there were when the loop was taken up: how it stood then is no end of it
 * @returns the view as it halted, or as it was when looking on ended; null: the engine has no such loop
 */
export async function followLoop(
  engine: Engine,
  loop: string,
  each: (line: JournalLine) => void,
  signal: AbortSignal,
  from = 0,
): Promise<Result<LoopView | null>> {
  return await asking(async () => {
    for (let seen = 0; ;) {
      const view = await engine.view(loop);
      if (view === null) return null;
      while (seen < view.lines) {
        const lines = await engine.journal(loop, seen);
        if (lines.length === 0) break;
        for (const line of lines) each(line);
        seen += lines.length;
      }
      const { outcome } = view.state.control;
      const isHalted = view.lines > from && outcome !== undefined && outcome !== null;
      if (signal.aborted || isHalted) return view;
      await pause(signal);
    }
  });
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_EVERY_MS);
    signal.addEventListener("abort", end, { once: true });
  });
}
