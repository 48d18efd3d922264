/** What other `aot` processes ask of a run that is at work: `aot stop`, `aot redirect` (SPEC section 8). */
import { watchRequests, type RequestWatch } from "../../adapters/store/requests.ts";
import type { Result } from "../../core/problem.ts";
import type { Coordinator } from "../../loop/coordinator.ts";
import { readRequest, type RunRequest } from "../../loop/read-wish.ts";
import { systemClock } from "../clock.ts";
import type { ReportKeeper, RunAnswer } from "./run-report.ts";

export function serveRequests(dir: string, coordinator: Coordinator, keeper: ReportKeeper): Result<RequestWatch> {
  return watchRequests<RunRequest>(dir, {
    read: readRequest,
    carryOut: async (request): Promise<RunAnswer> => {
      if (request.kind === "stop") {
        coordinator.send({ type: "stop_requested", at: systemClock.now(), reason: request.reason });
        return { ok: true, message: "the run finishes the attempts in flight and stops" };
      }
      return await new Promise<RunAnswer>((resolve) => {
        keeper.onRedirect(resolve);
        coordinator.send({ type: "redirect_requested", at: systemClock.now(), redirect: request.redirect });
      });
    },
    refused: (message) => coordinator.send({ event: "note", message }),
  });
}
