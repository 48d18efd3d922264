import type { NewAtom } from "../../core/redirect.ts";
import { required, type Call } from "../../command/call.ts";
import { listOf } from "./edit-answer.ts";
import { Unusable } from "../../command/unusable.ts";

/** The atom that `ID --description --depends-on --or-group` describe. @throws Unusable for an empty id or description */
export function newAtomOf(call: Call): NewAtom {
  const id = required(call.arg("id"), "id").trim();
  const description = required(call.text("description"), "description");
  const or_group = call.text("or-group");
  const touches = [...new Set(listOf(call.texts("touches")))];
  if (id === "") throw new Unusable("the id is empty", "write one such as A7");
  if (description.trim() === "") throw new Unusable("--description is empty", "say what is to be done");
  return {
    id,
    description,
    depends_on: [...new Set(listOf(call.texts("depends-on")))],
    ...(or_group === undefined ? {} : { or_group }),
    ...(touches.length === 0 ? {} : { touches }),
  };
}
