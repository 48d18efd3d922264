/** What a call was given, as texts: an interface reads it from its caller and hands it on as a call. */
import type { Call } from "./call.ts";
import type { Io } from "./io.ts";
import { nearest as suggestion } from "../core/nearest.ts";
import type { FlagSpec } from "./spec.ts";

export interface Values {
  readonly args: ReadonlyMap<string, string>;
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly rest?: readonly string[];
}

/** What is wrong with a value, and what would be right. */
export interface Complaint {
  readonly message: string;
  readonly hint: string;
}

/** @param values complete and of the declared types (`valueComplaint`) */
export function callOf({ args, flags, rest = [] }: Values, json: boolean, io: Io): Call {
  const one = (flag: string): string | undefined => flags.get(flag)?.at(-1);
  const stateFile = one("state-file");
  return {
    io,
    json,
    ...(stateFile === undefined ? {} : { stateFile }),
    arg: (name) => args.get(name),
    rest,
    text: one,
    texts: (flag) => flags.get(flag) ?? [],
    number: (flag) => (one(flag) === undefined ? undefined : Number(one(flag))),
    isSet: (flag) => flags.has(flag),
  };
}

/**
 * Why an argument or flag does not take that value; undefined: it does.
 * @param name as the caller knows it
 */
export function valueComplaint(
  spec: Partial<Pick<FlagSpec, "type" | "choices" | "min">>,
  name: string,
  value: string,
): Complaint | undefined {
  if (spec.choices !== undefined && !spec.choices.includes(value))
    return {
      message: `invalid value for ${name}: ${JSON.stringify(value)}`,
      hint: suggestion(value, spec.choices, `one of ${spec.choices.join(", ")}`),
    };
  if (spec.type !== "integer" && spec.type !== "number") return undefined;
  const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
  const what = spec.type === "integer" ? "a whole number" : "a number";
  const from = spec.min === undefined ? "" : `, at least ${spec.min}`;
  const fits = spec.type === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (fits && number >= (spec.min ?? -Infinity)) return undefined;
  return { message: `invalid value for ${name}: ${JSON.stringify(value)}`, hint: `write ${what}${from}` };
}
