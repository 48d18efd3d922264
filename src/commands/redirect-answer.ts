import { redirectLoop } from "../app/redirect-loop.ts";
import type { Redirect } from "../core/redirect.ts";
import type { Call } from "./call.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";
import { stateFileOf } from "./state-file.ts";

/** Redirects the loop of this call and says what came of it. */
export async function redirectAnswer(call: Call, redirect: Redirect): Promise<Answer> {
  const file = stateFileOf(call);
  const done = await redirectLoop(file.path, redirect);
  if (!done.ok) return failure(done.problems, file.shown);
  const { description, via, revert, notes } = done.value;
  return { exit: 0, json: { success: true, description, via, revert, notes }, text: description, notes };
}

export function reasonOf(call: Call): string {
  return call.text("reason") ?? "";
}
