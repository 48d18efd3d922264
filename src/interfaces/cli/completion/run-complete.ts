import { readStateFile } from "../../../adapters/store/state-file.ts";
import type { Call } from "../../../command/call.ts";
import type { CommandSpec, Run } from "../../../command/spec.ts";
import { stateFileOf } from "../../../command/state-file.ts";
import { oneLine } from "../../../terminal/verdict-text.ts";
import type { State } from "../../../core/state.ts";
import { candidatesFor, type LoopNames } from "./candidates.ts";

const LONGEST_SUMMARY = 80;

/** The command that shells call. A state file that cannot be read gives no names, not an error: nobody would see it. */
export function completeIn(root: () => CommandSpec): { readonly run: Run } {
  return {
    run: async (call) => {
      // PowerShell before 7.3 drops an empty word, so our script passes it in quotes.
      const typed = call.rest.map((word) => (word === '""' ? "" : word));
      const found = await candidatesFor(root(), typed.length === 0 ? [""] : typed, namesFor(call));
      if (found.kind === "files") return { exit: 0, json: { success: true, files: true, words: [] }, text: ":files" };
      const words = found.words.map(({ value, summary }) => ({ value, summary: oneLine(summary, LONGEST_SUMMARY) }));
      const text = words.map(({ value, summary }) => `${value}\t${summary}`).join("\n");
      return { exit: 0, json: { success: true, files: false, words }, text };
    },
  };
}

function namesFor(call: Call): LoopNames {
  const read = async (): Promise<State | null> => {
    const file = await readStateFile(stateFileOf(call).path);
    return file.ok ? file.value.state : null;
  };
  return {
    atoms: async () => {
      const state = await read();
      const atoms = state === null ? [] : state.atoms;
      return atoms.map(({ id, description, status }) => ({ value: id, summary: `${status}: ${description}` }));
    },
    groups: async () => {
      const state = await read();
      const groups = state === null ? [] : state.or_groups;
      return groups.map(({ name, selected }) => ({ value: name, summary: `${selected} is chosen` }));
    },
  };
}
