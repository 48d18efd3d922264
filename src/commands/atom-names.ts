/** What atoms are about, for whoever shows a run while it works: split and added atoms come in on the way. */
import { readStateFile } from "../adapters/store/state-file.ts";
import { toArray } from "../core/vec.ts";

/** How long an id that the file does not know is not looked up again. Milliseconds. */
const REST_MS = 1_000;

/**
 * A function that answers from what was read last, at once, and reads the file again in the background when an
 * atom is not known. Never fails: a file that cannot be read names nothing.
 */
export function createAtomNames(stateFile: string): (atom: string) => string | undefined {
  let names: ReadonlyMap<string, string> = new Map();
  let readAt = -Infinity;
  let reading = false;
  const read = async (): Promise<void> => {
    reading = true;
    readAt = performance.now();
    const file = await readStateFile(stateFile);
    if (file.ok) names = new Map(toArray(file.value.state.atoms).map((atom) => [atom.id, atom.description]));
    reading = false;
  };
  return (atom) => {
    const name = names.get(atom);
    if (name === undefined && !reading && performance.now() - readAt > REST_MS) read().catch(() => undefined);
    return name;
  };
}
