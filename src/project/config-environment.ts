/** A setting's value as an environment variable spells it. */
import { accepted, type Result } from "../core/problem.ts";
import type { Type } from "../statefile/field-types.ts";
import { expected } from "../statefile/type-mismatch.ts";

/** @param variable its name, for the message */
export function environmentValue(type: Type, variable: string, text: string): Result<unknown> {
  switch (type.kind) {
    case "bool":
      if (text === "true" || text === "1") return accepted(true);
      return text === "false" || text === "0" ? accepted(false) : misfit(type, variable, text);
    case "int":
    case "number": {
      const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      const whole = type.kind === "number" || Number.isSafeInteger(value);
      const fits = whole && value >= (type.min ?? -Infinity) && value <= (type.max ?? Infinity);
      return fits ? accepted(value) : misfit(type, variable, text);
    }
    case "text":
    case "word":
      return type.pattern === undefined || type.pattern.test(text) ? accepted(text) : misfit(type, variable, text);
    case "list": {
      const item = environmentValue(type.of, variable, text);
      return item.ok ? accepted([item.value]) : item;
    }
    default:
      throw new Error(`a setting of the kind ${type.kind} has no spelling in the environment`);
  }
}

function misfit(type: Type, variable: string, text: string): Extract<Result<never>, { ok: false }> {
  const range =
    type.kind === "int" || type.kind === "number"
      ? [type.min === undefined ? "" : ` from ${type.min}`, type.max === undefined ? "" : ` to ${type.max}`].join("")
      : "";
  return {
    ok: false,
    problems: [
      {
        code: "wrong_type",
        message: `the environment variable ${variable} is ${JSON.stringify(text)}`,
        hint: `set it to ${expected(type)}${range}, or unset it`,
      },
    ],
  };
}
