/** Arguments and flags that several commands share. */
import { REDIRECTS, type Change } from "../../core/redirect.ts";
import type { FlagSpec } from "../../command/spec.ts";

export const REASON: FlagSpec = {
  name: "reason",
  value: "TEXT",
  summary: "Why; kept in the loop's history.",
};
export const ID = { name: "id", summary: "Id of the atom." } as const;
/** The flags by which a redirect of this kind is given its values; commands that take the same values have them, too. */
export function flagsOfRedirect(kind: Change["kind"]): readonly FlagSpec[] {
  return REDIRECTS[kind].fields.flatMap(({ name, flag, type, optional, summary }): FlagSpec[] => {
    if (flag === undefined) return [];
    const list = type === "words" || type === "texts" ? { repeatable: true as const } : {};
    return [
      {
        name,
        value: flag,
        ...list,
        ...(optional !== undefined ? {} : { required: true as const }),
        summary,
      },
    ];
  });
}

export const NEW_ATOM = flagsOfRedirect("add");
export const NEW_BINDING = flagsOfRedirect("rebind");
