import { pullView } from "../owned-loop.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const pulled = await pullView(file.path, call.io.env);
  if (!pulled.ok) return failure(pulled.problems, file.shown);
  const { engine, loop, state } = pulled.value;
  const { status, outcome = null } = state.control;
  const text = `${file.shown} is as ${loop} on ${engine} is now: ${status}${outcome === null ? "" : ` (${outcome})`}`;
  return { exit: 0, json: { success: true, engine, loop, status, outcome }, text };
};
