import { relative, resolve } from "node:path";
import {
  definitionText,
  parseGate,
  parseGateCheck,
  parsePhase,
  withChecks,
  writeNewDefinition,
  type WantedLoop,
} from "../new.ts";
import { AUTONOMIES } from "../core/definition.ts";
import type { Call } from "../../command/call.ts";
import { quoted } from "../../command/next-step.ts";
import { failure } from "../../command/problem-text.ts";
import type { Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { usable } from "../../command/usable.ts";

export const run: Run = async (call) => {
  const known = given(call);
  const asking = !call.json && (await call.io.isTerminal(0)) && (await call.io.isTerminal(1));
  const wanted = complete(known) ?? (asking ? await asked(known) : null);
  if (wanted === null) {
    if (asking) return { exit: 1, json: {}, text: "" };
    throw new Unusable(
      known.id === undefined ? "the loop has no id" : "the loop has no phases",
      'write them: `aot phases new my-loop --phase "BUILD: compile"`, or answer questions on a terminal',
    );
  }
  const text = definitionText(wanted);
  if (!text.ok) return failure(text.problems);
  const path = resolve(call.io.cwd, `${wanted.id}.loop.json`);
  const written = writeNewDefinition(path, text.value, call.isSet("force"));
  if (!written.ok) return failure(written.problems);
  const shown = relative(call.io.cwd, path);
  return {
    exit: 0,
    json: { success: true, file: path, definition: JSON.parse(text.value) as object },
    text: `written: ${shown}\nnext: \`aot phases init ${quoted(shown)}\``,
  };
};

/** What flags and arguments say. */
function given(call: Call): Partial<WantedLoop> {
  const [id, mode] = [call.arg("id"), call.text("mode")];
  const autonomy = AUTONOMIES.find((one) => one === call.text("autonomy"));
  const phases = call.texts("phase").map((text) => usable(parsePhase(text)));
  const named = call.texts("gate").map((text) => usable(parseGate(text)));
  const checks = call.texts("check").map((text) => usable(parseGateCheck(text)));
  const gates = usable(withChecks(named, checks));
  return {
    ...(id === undefined ? {} : { id }),
    ...(mode === undefined ? {} : { mode }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(phases.length === 0 ? {} : { phases }),
    ...(gates.length === 0 ? {} : { gates }),
  };
}

function complete({ id, phases, gates = [], mode = "greenfield", ...rest }: Partial<WantedLoop>): WantedLoop | null {
  return id === undefined || phases === undefined ? null : { ...rest, id, phases, gates, mode };
}

/** Null: the person left the questions. */
async function asked(known: Partial<WantedLoop>): Promise<WantedLoop | null> {
  const { Cancelled, tellCancelled } = await import("../../align/commands/align-questions.ts");
  const { askLoop } = await import("./questions.ts");
  try {
    return await askLoop(known);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    tellCancelled();
    return null;
  }
}
