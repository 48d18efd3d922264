/** The loop of a session whose state file cannot be read (SPEC section 10). */
import { problemsText } from "../command/problem-text.ts";
import type { Problem } from "../core/problem.ts";
import { unbind } from "../project/session-record.ts";

/** Why nothing is decided. A file that was removed lets the loop go. */
export function whyUnread(stateFile: string, problems: readonly Problem[]): string {
  if (!problems.some(({ code }) => code === "file_missing"))
    return `nothing is decided until this is mended: ${problemsText(problems, stateFile)}`;
  unbind(stateFile);
  return `${stateFile} was removed: its loop is given up`;
}
