/** Keys that no field of the schema has: in a file of the loop's own they are somebody else's, in an alignment a slip. */
import { suggestion } from "./type-mismatch.ts";
import { content, isPresent, valueUnder, type MappingNode, type Node } from "./node.ts";
import { MAX_PROBLEMS, named, report, type Findings, type Trace } from "./problems.ts";
import { fieldsOf, type Fields, type ObjectType, type Type } from "./field-types.ts";

/** Characters of a name that are shown. */
const LONGEST_NAME = 80;

/**
 * Reports each with the known name that it is nearest to. What has the wrong type is passed over: `readValue` tells it.
 * @param what is read: "an alignment"
 */
export function reportUnknownKeys(
  type: Type,
  node: Node,
  { findings, what, trace }: { readonly findings: Findings; readonly what: string; readonly trace?: Trace },
): void {
  const here = content(node);
  if (type.kind === "list" && here.kind === "sequence") {
    for (let i = 0; i < here.size; i++)
      reportUnknownKeys(type.of, here.item(i), { findings, what, trace: { up: trace, key: i } });
    return;
  }
  if (here.kind !== "mapping") return;
  const fields = type.kind === "table" ? null : knownIn(type, here);
  if (fields === undefined) return;
  for (let i = 0; i < here.size && findings.problems.length < MAX_PROBLEMS; i++) {
    const { name, start, value } = here.entry(i);
    if (name === null) continue;
    const field = fields !== null && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const below = type.kind === "table" ? type.of : field?.type;
    if (below !== undefined) reportUnknownKeys(below, value, { findings, what, trace: { up: trace, key: name } });
    else
      report(findings, {
        code: "unknown_value",
        message: `${named({ up: trace, key: name })} is no field of ${what}`,
        at: start,
        trace: { up: trace, key: name },
        found: name.slice(0, LONGEST_NAME),
        hint: suggestion(name, Object.keys(fields ?? {})),
      });
  }
}

/** Undefined: not an object, or one whose kind is not known. */
function knownIn(type: Type, node: MappingNode): Fields | undefined {
  if (!isObjectType(type)) return undefined;
  const textAt = (key: string): string | undefined => {
    const value = valueUnder(node, key);
    const scalar = value === undefined ? undefined : content(value);
    return scalar?.kind === "scalar" && typeof scalar.value === "string" ? scalar.value : undefined;
  };
  return fieldsOf(type, textAt, (key) => isPresent(node, key));
}

function isObjectType(type: Type): type is ObjectType {
  return type.kind === "record" || type.kind === "tagged" || type.kind === "keyed" || type.kind === "exclusive";
}
