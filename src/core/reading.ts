/**
 * Reading JSON that somebody else wrote: a value of the kind that was asked for, or a sentence that
 * says what is wrong with what came instead. The pieces throw Misfit, `reading` catches it.
 */

export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };
export type Read<T> = (answer: unknown) => Reading<T>;

/** Never leaves `reading`, which turns it into a value. */
export class Misfit extends Error {}

export function reading<T>(read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof Misfit) return { ok: false, problem: error.message };
    throw error;
  }
}

export function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Misfit(`${name} has to be a JSON object, not ${show(value)}`);
  return value as Readonly<Record<string, unknown>>;
}

export function truth(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw new Misfit(`${quote(name)} has to be true or false, not ${show(value)}`);
  return value;
}

export function text(value: unknown, name: string): string {
  if (typeof value !== "string" || value.trim() === "")
    throw new Misfit(`${quote(name)} has to be a text that is not empty, not ${show(value)}`);
  return value;
}

export function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Misfit(`${quote(name)} has to be a list, not ${show(value)}`);
  return value;
}

export function texts(value: unknown, name: string): readonly string[] {
  return list(value ?? [], name).map((entry, i) => text(entry, `${name}[${i}]`));
}

export function quote(name: string): string {
  return JSON.stringify(name);
}

export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 80)}...` : shown;
}
