import { runnerOf } from "../../adapters/store/run-lock.ts";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { redirectLoop } from "../../app/redirect-loop.ts";
import { applyRedirect } from "../../core/apply-redirect.ts";
import type { Problem } from "../../core/problem.ts";
import type { Redirect } from "../../core/redirect.ts";
import type { Call } from "./call.ts";
import { failure } from "./problem-text.ts";
import type { Answer } from "./spec.ts";
import { stateFileOf } from "./state-file.ts";

/** Redirects the loop of this call and says what came of it. */
export async function redirectAnswer(call: Call, redirect: Redirect): Promise<Answer> {
  const file = stateFileOf(call);
  const mistake = await mistakeIn(file.path, redirect);
  if (mistake !== null) return failure(mistake, file.shown);
  const done = await redirectLoop(file.path, redirect);
  if (!done.ok) return failure(done.problems, file.shown);
  const { description, via, revert, notes } = done.value;
  return { exit: 0, json: { success: true, description, via, revert, notes }, text: description, notes };
}

/**
 * What the loop would refuse is told at once: a run kills its agents for every redirect, one that it then refuses
 * included. It asks again when it applies the redirect, as its state may be another one by then.
 */
async function mistakeIn(stateFile: string, redirect: Redirect): Promise<readonly Problem[] | null> {
  if (runnerOf(stateFile) === null) return null;
  const read = await readStateFile(stateFile);
  if (!read.ok) return read.problems;
  const tried = applyRedirect(read.value.state, redirect, new Date().toISOString());
  return tried.ok ? null : tried.problems;
}

export function reasonOf(call: Call): string {
  return call.text("reason") ?? "";
}
