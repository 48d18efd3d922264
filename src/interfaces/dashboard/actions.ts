/**
 * Actions of the page: some commands of the command line, with their names, arguments and flags (SPEC sections 8, 10
 * and 11).
 *
 * ACTIONS-1 the command itself carries an action out, so it is validated, refused and journaled exactly as on the command
 *    line;
 * ACTIONS-2 no other command is accepted, and no flag that reads a file or names another loop;
 * ACTIONS-3 a run is started with the command line of the last run, which a person typed: the page cannot name an agent.
 */
import { shallow } from "../../core/reading.ts";
import { REDIRECT_KINDS } from "../../core/redirect.ts";
import type { Io } from "../../command/io.ts";
import type { Answer, CommandSpec, FlagSpec } from "../../command/spec.ts";
import { COMMANDS, PHASES } from "../../commands.ts";
import { DEFECT_HINT, failureJson, Unusable } from "../../command/unusable.ts";
import { callOf, valueComplaint, type Values } from "../../command/values.ts";
import { describeProblems } from "../../core/problem.ts";
import { resumed } from "../../run/commands/detached.ts";
import { differenceOf, documentText, readDocument } from "../../statefile/redirect-document.ts";
import type { ShownLoop } from "../../dashboard/loops.ts";

const REDIRECT_COMMANDS = REDIRECT_KINDS.map((kind) => `redirect ${kind}`);
/** ACTIONS-3. */
const RESUME = "resume";
/** ACTIONS-2. */
const ALLOWED_COMMANDS: Readonly<Record<ShownLoop["kind"], readonly string[]>> = {
  atoms: [RESUME, "stop", "confirm", "reject", "redirect", ...REDIRECT_COMMANDS],
  phases: ["approve", "reject", "retry", "skip-gate", "pause", "resume"].map((name) => `phases ${name}`),
};
const REFUSED_FLAGS: ReadonlySet<string> = new Set(["loop", "engine", "state-file", "json", "from"]);
const LONGEST_VALUE = 20_000;

export interface Done {
  readonly ok: boolean;
  /** What the command prints with `--json`. */
  readonly document: object;
  /** The same as text. */
  readonly text: string;
}

/** Never rejects. @param action `{command, args, flags, plan}`, not validated yet */
export async function act(loop: ShownLoop, action: unknown, place: Pick<Io, "cwd" | "env">): Promise<Done> {
  try {
    if (isResume(loop, action)) return doneBy(await resumed({ path: loop.file, shown: loop.name }, place));
    const { command, values, plan } = read(loop, action);
    const io: Io = {
      ...place,
      out: () => {},
      err: () => {},
      ...(plan === null ? {} : { stdin: () => plan }),
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

/** ACTIONS-3. @throws Unusable if it has args or flags */
function isResume(loop: ShownLoop, action: unknown): boolean {
  const asked = shallow(action).ok ? record(action, "an action") : {};
  if (asked["command"] !== RESUME || loop.kind !== "atoms") return false;
  if (Object.keys(asked).length > 1)
    throw new Unusable("a loop is taken up as it was run last", "leave args and flags out");
  return true;
}

interface Asked {
  readonly command: CommandSpec;
  readonly values: Values;
  /** The changes of an edited plan, as `redirect --from -` reads them; null: no such command. */
  readonly plan: string | null;
}

function read(loop: ShownLoop, action: unknown): Asked {
  const fits = shallow(action);
  if (!fits.ok) throw new Unusable(`an action ${fits.problem}`, "send {command, args, flags}");
  const { command: name, args, flags, plan } = record(action, "an action");
  const allowed = ALLOWED_COMMANDS[loop.kind];
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
  values.flags.set("state-file", [loop.file]);
  // The page asked for confirmation already.
  if (command.flags?.some(({ name }) => name === "yes") === true) values.flags.set("yes", [""]);
  if (command.name !== "redirect") return { command, values, plan: null };
  values.flags.set("from", ["-"]);
  return { command, values, plan: planIn(plan) };
}

/** The difference between the edited plan and the plan as shown. */
function planIn(plan: unknown): string {
  const { text, shown } = record(plan, "a plan");
  if (typeof text !== "string" || typeof shown !== "string")
    throw new Unusable("a plan is a text and what it was", "send {text, shown}");
  const [wanted, was] = [readDocument(text), readDocument(shown)];
  if (!wanted.ok) throw new Unusable(describeProblems(wanted.problems), "repair it; nothing was changed");
  if (!was.ok) throw new Unusable(describeProblems(was.problems), "open the plan once more");
  return documentText(differenceOf(wanted.value, was.value));
}

function texts(
  given: Readonly<Record<string, unknown>>,
  command: CommandSpec,
  part: "args" | "flags",
): Map<string, string> {
  const specs: readonly (Partial<FlagSpec> & { readonly name: string })[] = (command[part] ?? []).filter(
    ({ name }) => !REFUSED_FLAGS.has(name),
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
  let commands: readonly CommandSpec[] = [...COMMANDS, PHASES];
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
