/** Why a command did not do it, as this terminal shows it. */
import { fold } from "../../terminal/fold.ts";
import type { Io } from "../../command/io.ts";
import { painterFor } from "../../terminal/paint.ts";
import { problemText, type ProblemJson } from "../../command/problem-text.ts";
import { screenOf, type Screen } from "../../terminal/screen.ts";
import type { Answer } from "../../command/spec.ts";
import { troubleText } from "../../terminal/trouble-text.ts";

/** @param plain the same in plain words, for answers that are no list of problems */
export async function troubleOnScreen(answer: Answer, plain: string, io: Io): Promise<string> {
  const screen = screenOf(process.stderr);
  return fold(await inColours(answer, plain, io, screen), screen.columns);
}

async function inColours(answer: Answer, plain: string, io: Io, screen: Screen): Promise<string> {
  const { errors } = answer.json as { readonly errors?: readonly ProblemJson[] };
  if (!Array.isArray(errors) || errors.length === 0) return plain;
  const reported = (errors as readonly ProblemJson[]).map(problemText).join("\n");
  const more = plain.slice(reported.length);
  // An answer in words of its own stays as it is.
  if (!plain.startsWith(reported) || !/^(?:\n {2}see `[^\n]*)?$/.test(more)) return plain;
  const look = { cwd: io.cwd, paint: await painterFor(io, 2), screen };
  return `${troubleText(errors as readonly ProblemJson[], look)}${more}`;
}
