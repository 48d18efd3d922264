/** What a session does about a state file that it cannot read (SPEC section 10). */
import { problemsText } from "../command/problem-text.ts";
import type { Problem } from "../core/problem.ts";
import { unbind } from "../project/session-record.ts";

/** Why nothing is decided. If the file was removed, the session lets the loop go. */
export function whyUnread(stateFile: string, problems: readonly Problem[]): string {
  if (!problems.some(({ code }) => code === "file_missing"))
    return `nothing is decided until this is mended: ${problemsText(problems, stateFile)}`;
  unbind(stateFile);
  return `${stateFile} was removed: its loop is given up`;
}
