import { resolve } from "node:path";
import { RIGHTS } from "../adapters/front/front-tokens.ts";
import { agentRefusal } from "../owned-loop.ts";
import { addClient, revokeClient } from "../tokens.ts";
import { required } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";

export const run: Run = (call) => {
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const name = required(call.arg("name"), "name");
  const file = resolve(call.io.cwd, required(call.text("token-file"), "token-file"));
  if (call.isSet("revoke")) {
    const revoked = revokeClient(file, name);
    if (!revoked.ok) return failure(revoked.problems);
    return { exit: 0, json: { success: true, name, revoked: true }, text: revoked.value };
  }
  const may = RIGHTS.find((right) => right === call.text("may")) ?? "view";
  const made = addClient(file, name, may);
  if (!made.ok) return failure(made.problems);
  const notes = [`${name} may ${may}; the token is shown this once, ${file} has its digest`];
  return { exit: 0, json: { success: true, name, may, token: made.value }, text: made.value, notes };
};
