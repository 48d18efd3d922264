import { auditTranscripts, unbackedText } from "../audit.ts";
import { interruptible } from "../../command/interrupt.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { choiceOf, countsJson, countsNotes, countsText, placeText } from "./transcript-answer.ts";

export const run: Run = async (call) => {
  const { cwd, env } = call.io;
  const audited = await interruptible(call.io, (signal) => auditTranscripts(choiceOf(call), { cwd, env }, signal));
  if (!audited.ok) return failure(audited.problems);
  const { counts, claims, unbacked } = audited.value;
  const outcome = `${claims} claims compared, ${unbacked.length} not backed`;
  return {
    exit: unbacked.length === 0 ? 0 : 1,
    json: { success: unbacked.length === 0, read: countsJson(counts), claims, unbacked },
    text: [
      `${countsText(counts)}: ${outcome}`,
      ...unbacked.map((one, index) => `${index + 1}. ${unbackedText(one, (at) => placeText(at, env))}`),
    ].join("\n"),
    notes: [...countsNotes(counts)],
  };
};
