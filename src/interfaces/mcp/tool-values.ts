/**
 * A tool's arguments against the command table: as strict as the command line. Pure.
 *
 * TOOL-VALUES-1 an unknown argument, a missing one, one of another type and a value out of range are complaints, each with
 *    what was probably meant;
 * TOOL-VALUES-2 what is answered as values has every required argument and flag, of the declared type.
 */
import { shallow } from "../../core/reading.ts";
import { nearest as suggestion } from "../../core/nearest.ts";
import type { ArgumentSpec, CommandSpec, FlagSpec } from "../../command/spec.ts";
import { valueComplaint, type Complaint, type Values } from "../../command/values.ts";
import { flagsOf, keyOf } from "./tool-list.ts";

export type ToolValues =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly complaint: Complaint };

/** @param given the tool's arguments as they came */
export function toolValues(command: CommandSpec, given: Readonly<Record<string, unknown>>): ToolValues {
  const fits = shallow(given);
  if (!fits.ok)
    return no({ message: `what ${command.name} is given ${fits.problem}`, hint: "give plain texts and numbers" });
  const args = new Map<string, string>();
  const flags = new Map<string, readonly string[]>();
  const known = [...(command.args ?? []), ...flagsOf(command)];
  const stranger = Object.keys(given).find((key) => !known.some((spec) => keyOf(spec) === key));
  if (stranger !== undefined) return no(unknownKey(stranger, known.map(keyOf)));
  for (const arg of command.args ?? []) {
    const read = textsOf(arg, given[keyOf(arg)]);
    if (!Array.isArray(read)) return no(read);
    const [text] = read;
    if (text !== undefined) args.set(arg.name, text);
    else if (arg.optional !== true) return no(missing(arg));
  }
  for (const flag of flagsOf(command)) {
    const read = textsOf(flag, given[keyOf(flag)], flag.value === undefined);
    if (!Array.isArray(read)) return no(read);
    if (read.length > 0) flags.set(flag.name, read);
    else if (flag.required === true) return no(missing(flag));
  }
  // Nobody sits at a terminal here.
  for (const flag of command.flags ?? []) if (flag.unattended === "given") flags.set(flag.name, [""]);
  return { ok: true, values: { args, flags } };
}

function no(complaint: Complaint): ToolValues {
  return { ok: false, complaint };
}

function unknownKey(key: string, known: readonly string[]): Complaint {
  const habit = key.replace(/^-+/, "").replaceAll("-", "_");
  return {
    message: `there is no argument ${key} here`,
    hint: suggestion(habit, known, `arguments: ${known.join(", ")}`),
  };
}

function missing(spec: ArgumentSpec | FlagSpec): Complaint {
  return { message: `${keyOf(spec)} is missing`, hint: `give ${keyOf(spec)}: ${spec.summary}` };
}

/** The value as the command line would have it; empty: not given. */
function textsOf(spec: ArgumentSpec | FlagSpec, value: unknown, isBoolean = false): string[] | Complaint {
  if (value === undefined) return [];
  const type = "type" in spec ? spec.type : undefined;
  const single = isBoolean ? "true or false" : SINGLE[type ?? "text"];
  const hint = `write ${isList(spec) ? `a list: ["..."]` : single}`;
  const wrong = { message: `invalid value for ${keyOf(spec)}: ${shown(value)}`, hint };
  if (isBoolean) return typeof value === "boolean" ? (value ? [""] : []) : wrong;
  const list = isList(spec);
  if (list !== Array.isArray(value)) return wrong;
  const texts: string[] = [];
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    if (typeof item !== (type === undefined ? "string" : "number")) return wrong;
    const text = String(item);
    const complaint = valueComplaint(spec, keyOf(spec), text);
    if (complaint !== undefined) return complaint;
    texts.push(text);
  }
  return texts;
}

const SINGLE = { text: "a text", integer: "a whole number", number: "a number" } as const;

function isList(spec: ArgumentSpec | FlagSpec): boolean {
  return "repeatable" in spec;
}

const LONGEST_SHOWN = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}
