/**
 * An engine whose time grows with the text and no faster. It is slower than Node's wherever that one is not trapped
 * (measured, 1,000 patterns: 230 ms to read them beside 2 ms, 10 ms to load), so it is asked only about patterns that
 * Node's could not decide in time.
 */
import { linearText } from "./pattern.ts";
import type { Pattern } from "./rule.ts";

/** Whether that text matches; texts of ASCII alone. */
export type LinearTest = (text: string) => boolean;

/** Gives the test of a pattern; null: the engine cannot do it. */
export type LinearEngine = (pattern: Pattern) => LinearTest | null;

let loaded: Promise<LinearEngine> | undefined;

export function loadLinear(): Promise<LinearEngine> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<LinearEngine> {
  const { RE2JS } = await import("re2js");
  const known = new WeakMap<Pattern, LinearTest | null>();
  const compile = (pattern: Pattern): LinearTest | null => {
    const source = linearText(pattern.text);
    if (source === null) return null;
    try {
      const engine = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
      return (text) => engine.matcher(text).find();
    } catch {
      // Too large for it.
      return null;
    }
  };
  return (pattern) => {
    const found = known.get(pattern);
    if (found !== undefined) return found;
    const made = compile(pattern);
    known.set(pattern, made);
    return made;
  };
}
