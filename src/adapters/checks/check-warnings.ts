/** What is suspicious about a check before it is run (SPEC section 6, red first; section 14, `npm audit`). Pure. */
import { isAbsolute, relative } from "node:path";
import { checkTypeRow } from "../../core/check-types.ts";
import type { MechanicalCheck } from "../../core/verdict.ts";
import { isSearch } from "../../verdict/as-agreed.ts";

/** Ends of a command line that hide the exit code of what is before them. */
const MASKS: readonly { readonly end: RegExp; readonly what: string }[] = [
  { end: /(?:\|\||;|\n)\s*(?:true|:|exit\s+0)\s*;?$/, what: "ends in a command that always succeeds" },
  { end: /(?:\|\||;|\n)\s*echo\b[^|;&\n]*;?$/, what: "ends in an echo, which always succeeds" },
  { end: /(?<!&)&\s*$/, what: "ends in &: it runs in the background and its exit code is never seen" },
  {
    end: /(?<!\|)\|\s*(?:tee|cat|head|tail|less)\b[^|;&\n]*$/,
    what: "ends in a pipe: the exit code is that of the last program",
  },
];

/** What follows `--test` is a folder: Node 22 and 24 take it for a module, and fail whatever the tests say. */
const TESTS_IN_FOLDER =
  /\bnode(?:\.exe)?[ \t]+(?:-[^\s;|&]+[ \t]+)*?--test[ \t]+((?:-[^\s;|&]+[ \t]+)*[^\s;|&-][^\s;|&]*[\\/]|\w[\w-]*)(?=\s|$)/;

/** The first part succeeds, the other fails. */
const ALWAYS = /^(?:(true|:|exit\s+0|exit|echo\b[^|;&]*|#[^]*|)|false|exit\s+[1-9]\d*)$/;

export function commandWarnings({ type, value }: MechanicalCheck): readonly string[] {
  const { negated = false } = checkTypeRow(type);
  const line = value.trim();
  const shown = JSON.stringify(line);
  const always = ALWAYS.exec(line);
  const [how, passes] = always?.[1] === undefined ? ["fails", negated] : ["succeeds", !negated];
  const effect = passes ? "this check passes whatever happens" : "this check can never pass";
  if (always !== null) return [`${shown} always ${how}: ${effect}; name a command that looks at the work`];
  const warnings = MASKS.filter(({ end }) => end.test(line)).map(
    ({ what }) => `${shown} ${what}; a failure before it is not seen; leave that part out`,
  );
  const folder = TESTS_IN_FOLDER.exec(line)?.[1];
  if (folder !== undefined)
    warnings.push(
      `"node --test ${folder}" takes a folder on Node 20 and 26 only: on 22 and 24 it fails whatever the tests say; leave the folder out, or name the files`,
    );
  if (negated && !isSearch(line.split("|").at(-1) ?? ""))
    warnings.push(
      `${type} passes exactly when ${shown} fails, and a tool that reports what it finds fails then; for "finds nothing" use type command`,
    );
  return warnings;
}

export function pathWarnings({ value }: MechanicalCheck, dir: string): readonly string[] {
  const shown = JSON.stringify(value);
  if (value.trim() === "") return ["the path is empty; name a file or a glob"];
  if (value.startsWith("~")) return [`${shown}: "~" is not expanded; write the path relative to the project`];
  const outside = (isAbsolute(value) ? relative(dir, value) : value).split(/[\\/]/)[0] === "..";
  if (outside)
    return [`${shown} lies outside the project: the loop's work is not looked at; write a path inside the project`];
  if (isAbsolute(value))
    return [
      `${shown} is absolute: verification runs in a clean checkout elsewhere and would look here instead; write it relative to the project`,
    ];
  return [];
}
