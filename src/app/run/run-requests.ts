/** What other `aot` processes ask of a run that is at work: `aot stop`, `aot redirect` (SPEC section 8). */
import { watchRequests, type RequestWatch } from "../../adapters/store/requests.ts";
import type { Redirect } from "../../core/redirect.ts";
import type { Result } from "../../core/problem.ts";
import type { Coordinator } from "../../loop/coordinator.ts";
import { systemClock } from "../clock.ts";
import type { ReportKeeper, RunAnswer } from "./run-report.ts";

/** What is asked. The asker has checked a redirect's shape; whether the state allows it is decided by the loop. */
export type RunRequest =
  | { readonly kind: "stop"; readonly reason: string }
  | { readonly kind: "redirect"; readonly redirect: Redirect };

export function serveRequests(dir: string, coordinator: Coordinator, keeper: ReportKeeper): Result<RequestWatch> {
  return watchRequests(dir, async (body): Promise<RunAnswer> => {
    const request = readRequest(body);
    if (request === null) return { ok: false, message: "this run does not know that request" };
    if (request.kind === "stop") {
      coordinator.send({ type: "stop_requested", at: systemClock.now(), reason: request.reason });
      return { ok: true, message: "the run finishes the attempts in flight and stops" };
    }
    return await new Promise<RunAnswer>((resolve) => {
      keeper.onRedirect(resolve);
      coordinator.send({ type: "redirect_requested", at: systemClock.now(), redirect: request.redirect });
    });
  });
}

function readRequest(body: unknown): RunRequest | null {
  if (typeof body !== "object" || body === null || !("kind" in body)) return null;
  if (body.kind === "stop")
    return { kind: "stop", reason: "reason" in body && typeof body.reason === "string" ? body.reason : "" };
  if (
    body.kind === "redirect" &&
    "redirect" in body &&
    typeof body.redirect === "object" &&
    body.redirect !== null &&
    "kind" in body.redirect
  ) {
    return { kind: "redirect", redirect: body.redirect as Redirect };
  }
  return null;
}
