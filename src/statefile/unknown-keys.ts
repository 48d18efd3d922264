/** Keys that no field of the schema has: in a file of the loop's own they are somebody else's, in an alignment a slip. */
import { suggestion } from "./type-mismatch.ts";
import { content, type MappingNode, type Node } from "./node.ts";
import { named, report, type Findings, type Path } from "./problems.ts";
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
  { findings, what, path = [] }: { readonly findings: Findings; readonly what: string; readonly path?: Path },
): void {
  const here = content(node);
  if (type.kind === "list" && here.kind === "sequence") {
    here.items.forEach((item, i) => reportUnknownKeys(type.of, item, { findings, what, path: [...path, i] }));
    return;
  }
  if (here.kind !== "mapping") return;
  const fields = type.kind === "table" ? null : knownIn(type, here);
  if (fields === undefined) return;
  for (const { name, start, value } of here.entries) {
    if (name === null) continue;
    const field = fields !== null && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const below = type.kind === "table" ? type.of : field?.type;
    if (below !== undefined) reportUnknownKeys(below, value, { findings, what, path: [...path, name] });
    else
      report(findings, {
        code: "unknown_value",
        message: `${named([...path, name])} is no field of ${what}`,
        at: start,
        path: [...path, name],
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
