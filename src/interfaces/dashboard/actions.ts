/**
 * What can be done from the page: commands of the command line, by their own names, arguments and flags (SPEC sections 8,
 * 10 and 11).
 *
 * ACTIONS-1 an action is carried out by the command itself: it is checked, refused, carried out and journaled exactly
 *    as there;
 * ACTIONS-2 no other command can be named, and of these no flag that reads files or leaves the loop.
 */
import { shallow } from "../../core/reading.ts";
import { REDIRECT_KINDS } from "../../core/redirect.ts";
import type { Io } from "../../command/io.ts";
import type { Answer, CommandSpec, FlagSpec } from "../../command/spec.ts";
import { ENGINE_COMMANDS } from "../../engines/commands/spec.ts";
import { COMMANDS, PHASES } from "../../commands.ts";
import { DEFECT_HINT, failureJson, Unusable } from "../../command/unusable.ts";
import { callOf, valueComplaint, type Values } from "../../command/values.ts";
import type { ShownLoop } from "../../dashboard/loops.ts";

const REDIRECTS = REDIRECT_KINDS.map((kind) => `redirect ${kind}`);
/** ACTIONS-2. */
const ALLOWED: Readonly<Record<ShownLoop["kind"] | "hosted", readonly string[]>> = {
  atoms: ["stop", "confirm", "reject", ...REDIRECTS],
  hosted: ["loops stop", "loops resume", "loops approve", ...REDIRECTS],
  phases: ["approve", "reject", "retry", "skip-gate", "pause", "resume"].map((name) => `phases ${name}`),
  engine: [],
};
const NOT_HERE: ReadonlySet<string> = new Set(["loop", "engine", "state-file", "json"]);
const LONGEST_VALUE = 20_000;

export interface Done {
  readonly ok: boolean;
  /** The document that `--json` gives. */
  readonly document: object;
  /** The same in words. */
  readonly text: string;
}

/** Never rejects. @param request `{command, args, flags}` as it came */
export async function act(loop: ShownLoop, action: unknown, place: Pick<Io, "cwd" | "env">): Promise<Done> {
  try {
    const { command, values } = read(loop, action);
    const io: Io = {
      ...place,
      out: () => {},
      err: () => {},
      isTerminal: async () => false,
    };
    const loaded = await command.load?.();
    if (loaded === undefined) throw new Error(`${command.name} cannot be run`);
    return doneBy(await loaded.run(callOf(values, true, io)));
  } catch (error) {
    const isUsage = error instanceof Unusable;
    const message = error instanceof Error ? error.message : String(error);
    const hint = isUsage ? error.hint : DEFECT_HINT;
    return {
      ok: false,
      document: failureJson(isUsage ? "usage" : "defect", message, hint),
      text: `${message}\n${hint}`,
    };
  }
}

function doneBy({ exit, json, text, trouble, notes = [] }: Answer): Done {
  return { ok: exit === 0, document: json, text: [trouble ?? text, ...notes].join("\n") };
}

function read(loop: ShownLoop, action: unknown): { readonly command: CommandSpec; readonly values: Values } {
  const fits = shallow(action);
  if (!fits.ok) throw new Unusable(`an action ${fits.problem}`, "send {command, args, flags}");
  const { command: name, args, flags } = record(action, "an action");
  const allowed = ALLOWED[loop.owner === undefined ? loop.kind : "hosted"];
  const command = typeof name === "string" && allowed.includes(name) ? find(name) : undefined;
  if (command === undefined)
    throw new Unusable(`${JSON.stringify(name)} is no action on this loop`, `actions: ${allowed.join(", ")}`);
  const values = {
    args: texts(record(args ?? {}, "args"), command, "args"),
    flags: new Map([...texts(record(flags ?? {}, "flags"), command, "flags")].map(([flag, text]) => [flag, [text]])),
  };
  for (const arg of command.args ?? [])
    if (arg.optional !== true && !values.args.has(arg.name)) throw new Unusable(`${arg.name} is missing`, arg.summary);
  for (const flag of command.flags ?? [])
    if (flag.required === true && !values.flags.has(flag.name))
      throw new Unusable(`${flag.name} is missing`, flag.summary);
  if (loop.owner === undefined) values.flags.set("state-file", [loop.file]);
  else {
    values.flags.set("engine", [loop.owner.engine]);
    if (command.args?.some((arg) => arg.name === "loop") === true) values.args.set("loop", loop.owner.loop);
    else values.flags.set("loop", [loop.owner.loop]);
  }
  return { command, values };
}

function texts(
  given: Readonly<Record<string, unknown>>,
  command: CommandSpec,
  part: "args" | "flags",
): Map<string, string> {
  const specs: readonly (Partial<FlagSpec> & { readonly name: string })[] = (command[part] ?? []).filter(
    ({ name }) => !NOT_HERE.has(name),
  );
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    const spec = specs.find((one) => one.name === name);
    if (spec === undefined)
      throw new Unusable(`${command.name} takes no ${name}`, specs.map((one) => one.name).join(", "));
    if (typeof value !== "string" || value.length > LONGEST_VALUE || value.startsWith("@"))
      throw new Unusable(`${name} is no text that can be taken`, "write it out, without @ at the beginning");
    const complaint = valueComplaint(spec, name, value);
    if (complaint !== undefined) throw new Unusable(complaint.message, complaint.hint);
    if (value !== "") found.set(name, value);
  }
  return found;
}

function find(name: string): CommandSpec | undefined {
  let commands: readonly CommandSpec[] = [...COMMANDS, PHASES, ...ENGINE_COMMANDS];
  let found: CommandSpec | undefined;
  for (const word of name.split(" ")) {
    found = commands.find((command) => command.name === word);
    commands = found?.commands ?? [];
  }
  return found;
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Unusable(`${what} is no JSON object`, "send {command, args, flags}");
  return Object.fromEntries(Object.entries(value));
}
