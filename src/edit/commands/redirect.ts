/** `aot redirect`: a redirect of any kind, read off its row (SPEC section 8). */
import { mistypedCheck, parseCheck } from "../../core/check-text.ts";
import { CHECK_TYPE_NAMES } from "../../core/check-types.ts";
import { accepted, type Result } from "../../core/problem.ts";
import { keysOf, REDIRECTS, STRUCTURED_FIELDS, type Change, type RedirectField } from "../../core/redirect.ts";
import { objectiveType, readRedirect } from "../../statefile/read-redirect.ts";
import { required, type Call } from "../../command/call.ts";
import { listOf } from "./edit-answer.ts";
import { failure } from "../../command/problem-text.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import type { Run } from "../../command/spec.ts";
import { settleRedirect, type Hands } from "./settle-redirect.ts";

/** Redirects the loop of a call and says what came of it. */
export function redirectWith(kind: Change["kind"], hands: Hands): Run {
  return async (call) => {
    const redirect: Record<string, unknown> = { kind, reason: call.text("reason") ?? "" };
    for (const field of REDIRECTS[kind].fields) {
      const value = await valueOf(call, field);
      if (!value.ok) return failure(value.problems, call.arg("field"));
      const [key, inner] = keysOf(field);
      if (value.value !== undefined)
        redirect[key] = inner === undefined ? value.value : Object.assign({}, redirect[key], { [inner]: value.value });
    }
    const read = readRedirect(redirect);
    if (!read.ok) return failure(read.problems);
    return await settleRedirect(call, read.value, hands);
  };
}

async function valueOf(call: Call, { name, flag, type, optional }: RedirectField): Promise<Result<unknown>> {
  if (type === "words" || type === "texts") {
    const given = call.texts(name);
    return accepted(optional === "unset" && given.length === 0 ? undefined : [...new Set(listOf(given))]);
  }
  if (type === "truth") return accepted(call.isSet(name) ? call.text(name) !== "no" : undefined);
  const text = flag === undefined ? call.arg(name) : call.text(name);
  if (text === undefined && optional !== undefined) return accepted(undefined);
  const given = required(text, name);
  switch (type) {
    case "limit":
      return accepted(given.trim() === "none" ? null : /^\d+(\.\d+)?$/.test(given) ? Number(given) : given);
    case "objective":
      return await objectiveIn(call, given);
    default:
      return accepted(type === "word" ? given.trim() : given);
  }
}

async function objectiveIn(call: Call, given: string): Promise<Result<unknown>> {
  const field = required(call.arg("field"), "field");
  const text = given.startsWith("@") ? readTextFile(call.io, given.slice(1)) : given;
  if (field === "base_case") return await baseCaseIn(text);
  if (!STRUCTURED_FIELDS.some((one) => one === field)) return accepted(text.trim());
  const { readYamlValue } = await import("../../statefile/read-yaml-value.ts");
  return readYamlValue(text, objectiveType(field), field);
}

/** One check as `aot align --check` takes it (`command: npm test`), or YAML. */
async function baseCaseIn(text: string): Promise<Result<unknown>> {
  if (SHORT.test(text) || (!text.trim().includes("\n") && mistypedCheck(text) !== null)) return parseCheck(text);
  const hint = `write \`command: ${text.trim()}\` if it is a command, or \`file: ...\`, or YAML with a checklist`;
  if (!/[:[{\n]/.test(text.trim()))
    return { ok: false, problems: [{ code: "wrong_type", message: "a check says first what it is", hint }] };
  const { readBaseCase } = await import("../../statefile/read-yaml-value.ts");
  return readBaseCase(text);
}

const SHORT = new RegExp(`^\\s*(?:${CHECK_TYPE_NAMES.join("|")})\\s*:[^\\n]*\\S[^\\n]*$`);
