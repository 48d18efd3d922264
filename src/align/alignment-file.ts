/** `aot align --from FILE`: an alignment as YAML (or JSON), in the words of the state file's schema. */
import { accepted, refused, type Result } from "../core/problem.ts";
import type { OrGroup } from "../core/state.ts";
import { choice, type Field, type Fields, type RecordType } from "../statefile/field-types.ts";
import { ATOM, DECOMPOSITION, MARKS, OBJECTIVE, OR_GROUP } from "../statefile/schema.ts";
import type { Alignment } from "./alignment.ts";
import { inSchemaShape } from "./alignment-shapes.ts";
import { readYamlValue } from "../statefile/read-yaml-value.ts";

/** Fields of the schema that may be missing here: what is left open is asked for, or follows. */
function open(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = fields[name];
      if (field === undefined) return [];
      const { required: _, ...rest } = field;
      return [[name, rest]];
    }),
  );
}

const NEW_ATOM: RecordType = {
  kind: "record",
  fields: {
    ...open(ATOM.fields, "id"),
    ...only(ATOM.fields, "description"),
    ...open(ATOM.fields, "depends_on", "or_group", ...Object.keys(MARKS)),
    status: { type: choice("pending"), doc: "As in a state file: no atom has been worked yet." },
  },
};

const NEW_GROUP: RecordType = {
  kind: "record",
  fields: { ...only(OR_GROUP.fields, "choices"), ...open(OR_GROUP.fields, "selected", "failed", "speculative") },
};

const ALIGNMENT: RecordType = {
  kind: "record",
  fields: {
    ...open(OBJECTIVE.fields, ...Object.keys(OBJECTIVE.fields).filter((name) => !name.startsWith("aligned_"))),
    original_prompt: { type: { kind: "text" }, doc: "What you asked for in your own words; absent: the goal." },
    atoms: { type: { kind: "list", of: NEW_ATOM }, doc: "The work: at least a description each." },
    or_groups: { type: { kind: "table", of: NEW_GROUP, name: "group", as: "pairs" }, doc: "Alternatives, by name." },
    decompositions: { type: { kind: "list", of: DECOMPOSITION }, doc: "Which atoms are split into which." },
  },
};

function only(fields: Fields, name: string): Record<string, Field> {
  const field = fields[name];
  return field === undefined ? {} : { [name]: field };
}

type ReadAlignment = Omit<Alignment, "or_groups"> & {
  readonly or_groups?: readonly (readonly [string, Partial<OrGroup> & { readonly choices: readonly string[] }])[];
};

/** Refused with its place in `text`: what does not fit the schema, and a key that it does not have (it would be lost). */
export function readAlignment(text: string): Result<Alignment> {
  const read = readYamlValue(text, ALIGNMENT, "an alignment", inSchemaShape);
  if (!read.ok) return read;
  const { or_groups, ...rest } = read.value as ReadAlignment;
  if (or_groups === undefined) return accepted(rest);
  const groupOf = (id: string | undefined): string | undefined =>
    or_groups.find(([, { choices }]) => id !== undefined && choices.includes(id))?.[0];
  const atoms = rest.atoms?.map((atom) => {
    const or_group = atom.or_group ?? groupOf(atom.id);
    return or_group === undefined ? atom : { ...atom, or_group };
  });
  for (const [name, { failed = [] }] of or_groups)
    if (failed.length > 0)
      return refused(
        `or_groups.${name}.failed names ${failed.join(", ")}, and nothing has been tried yet`,
        "write `failed: []`, or leave the choice out",
      );
  const groups = or_groups.map(([name, group]): OrGroup => ({
    selected: group.choices[0] ?? "",
    failed: [],
    ...group,
    name,
  }));
  return accepted({ ...rest, ...(atoms === undefined ? {} : { atoms }), or_groups: groups });
}
