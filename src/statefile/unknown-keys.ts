/** Keys that no field of the schema has: in a file of the loop's own they are somebody else's, in an alignment a slip. */
import { suggestion } from "./type-mismatch.ts";
import { content, type MappingNode, type Node } from "./node.ts";
import { MAX_PROBLEMS, named, report, type Findings, type Trace } from "./problems.ts";
import type { Fields, ObjectType, Type } from "./field-types.ts";
import { fieldsIn } from "./shape.ts";

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
  return isObjectType(type) ? fieldsIn(type, node) : undefined;
}

function isObjectType(type: Type): type is ObjectType {
  return type.kind === "record" || type.kind === "tagged" || type.kind === "keyed" || type.kind === "exclusive";
}
