import type { Leftovers } from "../../adapters/workspace/leftovers.ts";
import type { Call } from "../../command/call.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { askYes, needsPerson } from "../../terminal/ask-yes.ts";
import { cleanUp } from "../leftovers.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const all = call.isSet("all");
  const cleaned = await cleanUp(file.path, all, (left) => isAgreed(call, left, all));
  if (!cleaned.ok) return failure(cleaned.problems, file.shown);
  const { left, removed } = cleaned.value;
  const staying = all ? [] : left.kept;
  const stay = all ? 0 : left.kept.length + left.slots.filter(({ holds }) => holds !== null).length;
  const json = { success: removed !== null, removed: removed ?? [], kept: staying };
  if (removed === null) return { exit: 1, json, text: "", trouble: "nothing was removed" };
  const lines = removed.length === 0 ? ["nothing to remove"] : removed.map((name) => `removed ${name}`);
  const what = `${stay} branches, refs and slots stay, with work that is nowhere else: \`aot clean --all\` removes them`;
  return { exit: 0, json, text: [...lines, ...(stay === 0 ? [] : [what])].join("\n") };
};

/** @throws Unusable where nobody can be asked */
async function isAgreed(call: Call, left: Leftovers, all: boolean): Promise<boolean> {
  const going = namesOf(left, all);
  if (going.length === 0 || call.isSet("yes")) return true;
  await needsPerson(call);
  call.io.out(`${going.join("\n")}\n`);
  return await askYes("Remove these?");
}

function namesOf({ slots, goals, kept }: Leftovers, all: boolean): string[] {
  return [
    ...slots
      .filter(({ holds }) => all || holds === null)
      .map(({ loop, slot, holds }) => `slot ${loop}/${slot.name}${holds === null ? "" : ` with ${holds}`}`),
    ...goals.flatMap(({ loop, removable }) => (removable.length === 0 ? [] : `goal ${loop}: ${removable.length} refs`)),
    ...(all ? kept.map(({ name, oid }) => `${name} ${oid.slice(0, 10)}: work that may be nowhere else`) : []),
  ];
}
