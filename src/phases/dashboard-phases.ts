/** What a page gets of a phase loop (SPEC section 11). Reads only, and only while somebody watches. */
import { stampAt } from "../adapters/store/file-bytes.ts";
import { describeProblems } from "../core/problem.ts";
import { allowedActions } from "./core/rules.ts";
import { gateAhead } from "./core/sequence.ts";
import { slimLines } from "../dashboard/lines.ts";
import type { ProblemMessage } from "../dashboard/messages.ts";
import type { PhasesMessage } from "./messages.ts";
import { follow, journalFiles } from "../history/follow.ts";
import { createGathering, journalOf, type LoopLog } from "../history/loop-log.ts";
import { phaseProblems, readPhases } from "./answer.ts";

export interface PhaseFeed {
  subscribe(tell: (message: PhasesMessage | ProblemMessage) => void): () => void;
}

const LINES_SHOWN = 500;

export function createPhaseFeed(stateFile: string): PhaseFeed {
  return {
    subscribe(tell) {
      const over = new AbortController();
      const rounds = async (): Promise<void> => {
        const log = createGathering({ last: LINES_SHOWN });
        let [seen, isNew]: [string | null | undefined, boolean] = [undefined, false];
        for await (const batch of follow(journalFiles(journalOf(stateFile)), over.signal)) {
          log.add(batch);
          isNew ||= batch.lines.length > 0;
          if (!batch.caught_up) continue;
          const stamp = stampAt(stateFile);
          if (stamp === seen && !isNew) continue;
          [seen, isNew] = [stamp, false];
          tell(messageOf(stateFile, log.whole()));
        }
      };
      void rounds();
      return () => over.abort();
    },
  };
}

function messageOf(stateFile: string, log: LoopLog): PhasesMessage | ProblemMessage {
  const read = readPhases(stateFile);
  if (!read.ok) return { kind: "problem", message: describeProblems(read.problems) };
  const { definition, loop, warnings } = read.value;
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
