/** What a page is told of a phase loop (SPEC section 11). Reads only, and only while somebody looks on. */
import { statSync } from "node:fs";
import { describeProblems } from "../../core/problem.ts";
import { allowedActions } from "../../phases/allowed-actions.ts";
import { gateAhead } from "../../phases/sequence.ts";
import { slimLines } from "./dashboard-lines.ts";
import type { PhasesMessage, ProblemMessage } from "./dashboard-messages.ts";
import { looks } from "../follow.ts";
import { readLog } from "../loop-log.ts";
import { phaseProblems, readPhases } from "../phases/phases.ts";

export interface PhaseFeed {
  subscribe(tell: (message: PhasesMessage | ProblemMessage) => void): () => void;
}

const LINES_SHOWN = 500;

export function createPhaseFeed(stateFile: string): PhaseFeed {
  return {
    subscribe(tell) {
      const over = new AbortController();
      const rounds = async (): Promise<void> => {
        let seen = "";
        for await (const _ of looks(over.signal)) {
          const mark = markOf(stateFile);
          if (mark === seen) continue;
          seen = mark;
          const message = await messageOf(stateFile);
          if (!over.signal.aborted) tell(message);
        }
      };
      void rounds();
      return () => over.abort();
    },
  };
}

async function messageOf(stateFile: string): Promise<PhasesMessage | ProblemMessage> {
  const read = readPhases(stateFile);
  if (!read.ok) return { kind: "problem", message: describeProblems(read.problems) };
  const { definition, loop, warnings } = read.value;
  const log = await readLog(stateFile, { last: LINES_SHOWN });
  return {
    kind: "phases",
    definition,
    loop,
    gate: gateAhead(definition, loop)?.id ?? null,
    allowed: allowedActions(definition, loop),
    problems: [...phaseProblems(read.value), ...warnings].map(({ message }) => message),
    lines: slimLines(log.lines),
  };
}

function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "none" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}
