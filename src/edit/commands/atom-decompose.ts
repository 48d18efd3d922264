import { decomposeAtomIn, type NamedChild } from "../atoms.ts";
import { required } from "../../command/call.ts";
import { editAnswer, listOf } from "./edit-answer.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const children = withAlternatives(call.texts("child").map(childOf), call.texts("alternatives"));
  const result = await decomposeAtomIn(file.path, id, children, required(call.text("reason"), "reason"));
  return editAnswer(file, result, {
    json: (edited) => ({ parent: id, children: edited.children }),
    text: (edited) => `${id} is split into ${edited.children.join(", ")}`,
  });
};

/** `GROUP=ID,ID`: the first is tried first. */
function withAlternatives(children: readonly NamedChild[], groups: readonly string[]): readonly NamedChild[] {
  const groupOf = new Map(
    groups.flatMap((text) => {
      const equals = text.indexOf("=");
      const [or_group, ids] = [text.slice(0, Math.max(0, equals)).trim(), listOf([text.slice(equals + 1)])];
      const unknown = ids.find((id) => !children.some((child) => child.id === id));
      if (or_group === "" || ids.length < 2)
        throw new Unusable(
          `invalid value for --alternatives: ${JSON.stringify(text)}`,
          "write GROUP=ID,ID with two or more children",
        );
      if (unknown !== undefined)
        throw new Unusable(`--alternatives names ${unknown}, which is no --child`, "name children given with --child");
      return ids.map((id) => [id, or_group] as const);
    }),
  );
  return children.map((child) => {
    const or_group = groupOf.get(child.id);
    return or_group === undefined ? child : { ...child, or_group };
  });
}

/** `ID=DESC`, `ID=DESC <- X,Y`. */
function childOf(text: string): NamedChild {
  const equals = text.indexOf("=");
  const id = text.slice(0, Math.max(0, equals)).trim();
  const [description = "", after = ""] = text.slice(equals + 1).split(/\s<-\s(?=[^<]*$)/);
  if (id === "" || description.trim() === "")
    throw new Unusable(
      `invalid value for --child: ${JSON.stringify(text)}`,
      "write ID=DESCRIPTION, or ID=DESCRIPTION <- ID,ID",
    );
  return { id, description: description.trim(), depends_on: listOf([after]) };
}
