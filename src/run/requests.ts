/** What other `aot` processes ask of an active run: `aot stop`, `aot redirect` (SPEC section 8). */
import { watchRequests, type RequestWatch } from "../adapters/store/requests.ts";
import type { JournalLine } from "../core/journal-line.ts";
import { accepted, type Problem, type Result } from "../core/problem.ts";
import { sayRedirected } from "../core/touched.ts";
import type { Coordinator } from "../loop/coordinator.ts";
import { readRequest, type RunRequest } from "../loop/read-request.ts";
import { systemClock } from "../project/clock.ts";
import { createHolds } from "./holds.ts";

/** What a run answers another process that asked something of it. */
interface RunAnswer {
  readonly ok: boolean;
  readonly message: string;
  readonly problems?: readonly Problem[];
}

/** Carries them out until it is closed; then nobody holds the run any more. */
export function serveRequests(dir: string, coordinator: Coordinator, answers: RedirectAnswers): Result<RequestWatch> {
  const holds = createHolds((held, why) => {
    coordinator.send({ type: "hold_changed", at: systemClock.now(), held });
    if (why !== null) coordinator.send({ event: "note", message: `${why}: the loop goes on` });
  });
  const carryOut = async (request: RunRequest): Promise<RunAnswer> => {
    switch (request.kind) {
      case "stop":
        coordinator.send({ type: "stop_requested", at: systemClock.now(), reason: request.reason });
        if (request.now !== true) return { ok: true, message: "the run finishes the attempts in flight and stops" };
        coordinator.kill();
        return { ok: true, message: "the run ends its agents now and stops; their work is kept" };
      case "hold":
        holds.hold(request.by);
        return { ok: true, message: "the run starts nothing new meanwhile; what is under way goes on" };
      case "release":
        holds.release(request.by);
        return { ok: true, message: "the run goes on" };
      case "redirect": {
        const answer = answers.next();
        coordinator.send({ type: "redirect_requested", at: systemClock.now(), redirect: request.redirect });
        return await answer;
      }
    }
  };
  const watched = watchRequests<RunRequest>(dir, {
    read: readRequest,
    needsSender: ({ kind }) => kind === "redirect" || kind === "hold",
    carryOut,
    refused: (message) => coordinator.send({ event: "note", message }),
  });
  if (!watched.ok) return watched;
  const close = async (): Promise<void> => {
    holds.close();
    await watched.value.close();
  };
  return accepted({ close });
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
    ended ??= "the run ended first; `aot logs` shows how";
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
