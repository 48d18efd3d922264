import { decomposeAtomIn, type NamedChild } from "../atoms.ts";
import { required } from "../../command/call.ts";
import { editAnswer, listOf } from "./edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const children = call.texts("child").map(childOf);
  const result = await decomposeAtomIn(file.path, id, children, required(call.text("reason"), "reason"));
  return editAnswer(file, result, {
    json: (edited) => ({ parent: id, children: edited.children }),
    text: (edited) => `${id} is split into ${edited.children.join(", ")}`,
  });
};

/** `ID=DESC`, `ID=DESC <- X,Y`. */
function childOf(text: string): NamedChild {
  const equals = text.indexOf("=");
  const id = text.slice(0, Math.max(0, equals)).trim();
  const [description = "", after = ""] = text.slice(equals + 1).split(/\s<-\s(?=[^<]*$)/);
  if (id === "" || description.trim() === "")
    throw new Unusable(`--child is ${JSON.stringify(text)}`, "write ID=DESCRIPTION, or ID=DESCRIPTION <- ID,ID");
  return { id, description: description.trim(), depends_on: listOf([after]) };
}
