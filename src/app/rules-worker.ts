/** Guard rules and the agents of `aot run`: they obey the rules of the project whose loop they work for. */
import { projectOf } from "./find-state-file.ts";
import { loopsAbove } from "./own-loop.ts";

/** The project of the loop that this process is an agent of; null: it is none. */
export function ruleFolderOf(env: Readonly<Record<string, string | undefined>>): string | null {
  const stateFile = loopsAbove(env).at(-1);
  return stateFile === undefined ? null : projectOf(stateFile);
}
