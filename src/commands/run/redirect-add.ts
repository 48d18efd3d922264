import { newAtomOf } from "../new-atom.ts";
import { reasonOf, redirectAnswer } from "../redirect-answer.ts";
import type { Run } from "../spec.ts";

export const run: Run = (call) => redirectAnswer(call, { kind: "add", ...newAtomOf(call), reason: reasonOf(call) });
