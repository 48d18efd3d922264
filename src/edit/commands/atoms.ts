/** The commands that change atoms, bindings and selections by hand. */
import { required, type Call } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import type { ProposedAtom } from "../../core/event.ts";
import type { NewAtom } from "../../core/redirect.ts";
import { marksOf, type AtomStatus } from "../../core/state.ts";
import { addAtomTo, addBindingTo, decomposeAtomIn, failAtomIn, switchChoiceIn, updateAtomIn } from "../atoms.ts";
import { foreignRefusal, reportRefusal } from "../../project/session-owner.ts";
import { editAnswer, listOf, selections } from "./edit-answer.ts";

type NamedChild = ProposedAtom & { readonly id: string };

export const add: Run = async (call) => {
  const file = stateFileOf(call);
  const atom = newAtomOf(call);
  return editAnswer(file, await addAtomTo(file.path, atom), {
    json: () => ({ atom: atom.id }),
    text: () => `added ${atom.id}: ${atom.description}`,
  });
};

export const update: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const status = required(call.arg("status"), "status") as AtomStatus;
  const untied = status === "resolved" ? await reportRefusal(file.path, id, call.io.env) : null;
  return editAnswer(file, untied ?? (await updateAtomIn(file.path, id, status)), {
    json: () => ({ atom: id, atom_status: status }),
    text: () => `${id} is ${status}`,
  });
};

export const fail: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const foreign = await foreignRefusal(file.path, call.io.env);
  const result = foreign ?? (await failAtomIn(file.path, id, required(call.text("reason"), "reason")));
  return editAnswer(file, result, {
    json: (edited) => ({ atom: id, switched: selections(edited) }),
    text: (edited) => {
      const switched = Object.entries(selections(edited)).map(([group, { to }]) => `${group} goes on with ${to}`);
      return switched.length === 0 ? `${id} failed` : `${id} failed: ${switched.join(", ")}`;
    },
  });
};

export const decompose: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const children = withAlternatives(call.texts("child").map(childOf), call.texts("alternatives"));
  const result = await decomposeAtomIn(file.path, id, children, required(call.text("reason"), "reason"));
  return editAnswer(file, result, {
    json: (edited) => ({ parent: id, children: edited.children }),
    text: (edited) => `${id} is split into ${edited.children.join(", ")}`,
  });
};

export const bind: Run = async (call) => {
  const file = stateFileOf(call);
  const id = required(call.arg("id"), "id");
  const binding = { summary: required(call.text("summary"), "summary"), artifacts: listOf(call.texts("artifacts")) };
  const untied = await reportRefusal(file.path, id, call.io.env);
  return editAnswer(file, untied ?? (await addBindingTo(file.path, id, binding)), {
    json: () => ({ atom: id, binding }),
    text: () => `${id} is bound: ${binding.summary}`,
  });
};

export const switchTo: Run = async (call) => {
  const file = stateFileOf(call);
  const group = required(call.arg("group"), "group");
  const choice = required(call.arg("id"), "id");
  const result = await switchChoiceIn(file.path, group, choice, required(call.text("reason"), "reason"));
  return editAnswer(file, result, {
    json: (edited) => ({ or_group: group, selected: choice, switched: selections(edited) }),
    text: () => `${group} goes on with ${choice}`,
  });
};

/** The atom that `ID --description --depends-on --or-group` describe. @throws Unusable for an empty id or description */
function newAtomOf(call: Call): NewAtom {
  const id = required(call.arg("id"), "id").trim();
  const description = required(call.text("description"), "description");
  const or_group = call.text("or-group");
  const criteria = call.text("criteria");
  if (id === "") throw new Unusable("the id is empty", "write one such as A7");
  if (description.trim() === "") throw new Unusable("--description is empty", "say what is to be done");
  return {
    id,
    description,
    depends_on: [...new Set(listOf(call.texts("depends-on")))],
    ...(or_group === undefined ? {} : { or_group }),
    ...marksOf({
      probe: call.isSet("probe"),
      touches: [...new Set(listOf(call.texts("touches")))],
      ...(criteria === undefined ? {} : { criteria }),
    }),
  };
}

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
