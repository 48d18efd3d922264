import type { Call } from "../command/call.ts";
import { Unusable } from "../command/unusable.ts";

/** @returns false as well where the person left the question */
export async function askYes(question: string): Promise<boolean> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question });
  return !isCancel(answer) && answer;
}

/** Whether a person sits here who can be asked. */
export async function canAsk({ io, json }: Pick<Call, "io" | "json">): Promise<boolean> {
  return !json && (await io.isTerminal(0)) && (await io.isTerminal(1));
}

/** @param hint how it is said without a question. @throws Unusable where nobody can be asked */
export async function needsPerson(call: Call, hint = "pass --yes"): Promise<void> {
  if (!(await canAsk(call))) throw new Unusable("this is not a terminal, so nobody can confirm", hint);
}
