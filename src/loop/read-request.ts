/** Validates requests to a running loop that come from outside: request files, and signals to an engine. */
import { accepted, type Result } from "../core/problem.ts";
import { objectIn } from "../core/reading.ts";
import type { Redirect } from "../core/redirect.ts";
import { BOOL, FILLED, may, need, WORD } from "../statefile/field-types.ts";
import { type Kinds, readKind } from "../statefile/read-json-value.ts";
import { readRedirect, REASON } from "../statefile/read-redirect.ts";
import type { Signal } from "./engine.ts";

/** A request to a run in this project, as a request file holds it. */
export type RunRequest =
  /** @property now agents are ended at once, instead of finishing */
  | { readonly kind: "stop"; readonly reason: string; readonly now?: boolean }
  | { readonly kind: "redirect"; readonly redirect: Redirect }
  /** While held, the run starts nothing, until it is released or the holder dies. @property by as in host/liveness.ts */
  | { readonly kind: "hold" | "release"; readonly by: string };

const ID = need(WORD, "The sender's name for it.");
const HOLDER = need(FILLED, "The process that holds the run.");
const SIGNALS: Readonly<Record<Signal["kind"], Kinds[string]>> = {
  stop: () => ({ id: ID, reason: REASON }),
  cancel: () => ({ id: ID, reason: REASON }),
  redirect: () => ({ id: ID }),
  resume: () => ({ id: ID }),
  approve: () => ({ id: ID }),
  hand_back: () => ({ id: ID }),
};
const REQUESTS: Readonly<Record<RunRequest["kind"], Kinds[string]>> = {
  stop: () => ({ reason: REASON, now: may(BOOL, "Agents are ended at once.") }),
  redirect: () => ({}),
  hold: () => ({ by: HOLDER }),
  release: () => ({ by: HOLDER }),
};

export function readRequest(value: unknown): Result<RunRequest> {
  return readRequestOf(value, REQUESTS, "a request") as Result<RunRequest>;
}

export function readSignal(value: unknown): Result<Signal> {
  return readRequestOf(value, SIGNALS, "a signal") as Result<Signal>;
}

function readRequestOf(value: unknown, kinds: Kinds, what: string): Result<unknown> {
  const given = objectIn(value);
  if (given?.["kind"] !== "redirect") return readKind(value, kinds, what);
  const { redirect: wanted, ...rest } = given;
  const request = readKind(rest, kinds, what);
  if (!request.ok) return request;
  const redirect = readRedirect(wanted);
  return redirect.ok ? accepted({ ...objectIn(request.value), redirect: redirect.value }) : redirect;
}
