/** What other `aot` processes ask of an active run: `aot stop`, `aot redirect` (SPEC section 8). */
import { watchRequests, type RequestWatch } from "../adapters/store/requests.ts";
import type { JournalLine } from "../core/journal-line.ts";
import type { Problem, Result } from "../core/problem.ts";
import { sayRedirected } from "../core/touched.ts";
import type { Coordinator } from "../loop/coordinator.ts";
import { readRequest, type RunRequest } from "../loop/read-request.ts";
import { systemClock } from "../project/clock.ts";

/** What a run answers another process that asked something of it. */
interface RunAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly problems?: readonly Problem[];
}

export function serveRequests(dir: string, coordinator: Coordinator, answers: RedirectAnswers): Result<RequestWatch> {
  return watchRequests<RunRequest>(dir, {
    read: readRequest,
    needsSender: ({ kind }) => kind === "redirect",
    carryOut: async (request): Promise<RunAnswer> => {
      if (request.kind === "stop") {
        coordinator.send({ type: "stop_requested", at: systemClock.now(), reason: request.reason });
        return { ok: true, message: "the run finishes the attempts in flight and stops" };
      }
      const answer = answers.next();
      coordinator.send({ type: "redirect_requested", at: systemClock.now(), redirect: request.redirect });
      return await answer;
    },
    refused: (message) => coordinator.send({ event: "note", message }),
  });
}

/** What became of redirects, for those who asked for them, in the order in which they did. */
export interface RedirectAnswers {
  /** Each line of the run. */
  line(line: JournalLine): void;
  /** When the next redirect is applied or refused, or the run is over. */
  next(): Promise<RunAnswer>;
  /** Nothing more will happen: whoever still waits is answered so. */
  close(): void;
}

export function createRedirectAnswers(): RedirectAnswers {
  const waiting: ((answer: RunAnswer) => void)[] = [];
  let ended: string | null = null;
  const close = (): void => {
    ended ??= "the run ended first; `aot log` shows how";
    for (const then of waiting.splice(0)) then({ ok: false, message: ended });
  };
  return {
    line(line) {
      if (line.event === "redirected") {
        const message = sayRedirected(line.description, line.interrupted, line.going_on);
        waiting.shift()?.({ ok: true, message });
      } else if (line.event === "redirect_refused") {
        waiting.shift()?.({ ok: false, message: line.reason, problems: line.problems });
      } else if (line.event === "halted") {
        ended = `the run ended first: ${line.message}`;
        close();
      }
    },
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (ended !== null) close();
      }),
    close,
  };
}
