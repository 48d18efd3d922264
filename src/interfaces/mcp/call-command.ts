/** A command of the table, run inside the server: its answer, and nothing on stdout. */
import { Interrupted, INTERRUPTED } from "../../command/interrupt.ts";
import type { Io } from "../../command/io.ts";
import type { Answer, CommandSpec } from "../../command/spec.ts";
import { DEFECT_HINT, failureJson, Unusable } from "../../command/unusable.ts";
import { callOf, type Values } from "../../command/values.ts";

/** What a command answers: the document of `--json`, and the same in words. */
export interface Reported {
  readonly document: Readonly<Record<string, unknown>>;
  /** Empty: the document says it. */
  readonly text: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Io["env"];
  /** Aborted when nobody wants the answer any more. */
  readonly gone: AbortSignal;
  tell(text: string): void;
}

/** Never rejects: a mistake and a defect are documents, too. */
export async function callCommand(command: CommandSpec, values: Values, around: Surroundings): Promise<Reported> {
  const { cwd, env, gone, tell } = around;
  const io: Io = { cwd, env, gone, out: tell, err: tell, isTerminal: async () => false };
  try {
    const loaded = await command.load?.();
    if (loaded === undefined) throw new Error(`${command.name} cannot be run`);
    return reportedBy(await loaded.run(callOf(values, true, io)));
  } catch (error) {
    if (error instanceof Unusable) return unusable(error.message, error.hint);
    if (error instanceof Interrupted) return reportedBy(INTERRUPTED);
    return reportedOf(failureJson("defect", error instanceof Error ? error.message : String(error), DEFECT_HINT), "");
  }
}

export function unusable(message: string, hint: string): Reported {
  return reportedOf(failureJson("usage", message, hint), `${message}\n  ${hint}`);
}

export function reportedOf(document: object, text: string): Reported {
  return { document: Object.fromEntries(Object.entries(document)), text };
}

/** Whether a document says that the operation was not carried out; a verdict or a gate that says no is an answer. */
export function isFailure({ document }: Reported): boolean {
  return document["success"] === false && Array.isArray(document["errors"]);
}

function reportedBy({ json, text, trouble, notes = [] }: Answer): Reported {
  const words = trouble ?? text;
  return reportedOf(json, words === "" ? "" : [words, ...notes].join("\n"));
}
