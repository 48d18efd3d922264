import { CHECK_TYPE_NAMES } from "../../core/check-types.ts";
import type { ObjectiveField } from "../../core/redirect.ts";
import type { Problem, Result } from "../../core/problem.ts";
import type { BaseCase } from "../../core/state.ts";
import { required, type Call } from "../call.ts";
import { failure } from "../problem-text.ts";
import { reasonOf, redirectAnswer } from "../redirect-answer.ts";
import { readTextFile } from "../read-text-file.ts";
import type { Answer, Run } from "../spec.ts";
import { Unusable } from "../unusable.ts";

export const run: Run = async (call) => {
  const field = required(call.arg("field"), "field") as ObjectiveField;
  const given = required(call.arg("value"), "value");
  const text = given.startsWith("@") ? readTextFile(call.io, given.slice(1)) : given;
  if (field === "base_case") return await setBaseCase(call, text);
  if (text.trim() === "") throw new Unusable(`the new ${field} is empty`, "write what holds from now on");
  return await redirectAnswer(call, { kind: "set", field, value: text.trim(), reason: reasonOf(call) });
};

async function setBaseCase(call: Call, text: string): Promise<Answer> {
  const read = await baseCaseIn(text);
  if (!read.ok) return failure(read.problems, "base_case");
  const value: BaseCase = read.value;
  return await redirectAnswer(call, { kind: "set", field: "base_case", value, reason: reasonOf(call) });
}

/** One check as `aot align --check` takes it (`command: npm test`), or YAML. */
async function baseCaseIn(text: string): Promise<Result<BaseCase>> {
  const { mistypedCheck, parseCheck } = await import("../../app/align/alignment.ts");
  if (SHORT.test(text) || (!text.trim().includes("\n") && mistypedCheck(text) !== null)) return parseCheck(text);
  if (PLAIN.test(text)) return { ok: false, problems: [untyped(text.trim())] };
  const { readBaseCase } = await import("../../statefile/read-yaml-value.ts");
  return readBaseCase(text);
}

const SHORT = new RegExp(`^\\s*(?:${CHECK_TYPE_NAMES.join("|")})\\s*:[^\\n]*\\S[^\\n]*$`);
/** One line of words: no key, no bracket, no quote that YAML would read as more than a text. */
const PLAIN = /^\s*[^\s[\]{}"'#&*!|>%@`:-](?:(?!:(?:\s|$))[^\n])*$/;

function untyped(text: string): Problem {
  return {
    code: "wrong_type",
    message: "a check says first what it is",
    found: JSON.stringify(text),
    hint: `write \`command: ${text}\` if it is a command, or \`file: ...\`, \`assertion: ...\`; or YAML with a checklist`,
  };
}
