/** `aot phases new` by questions on a terminal: what was given is not asked for. */
import { parseGate, parsePhase } from "../new.ts";
import type { WantedGate, WantedLoop, WantedPhase } from "../core/wanted-loop.ts";
import { LOOP_ID, LOOP_ID_WORDS } from "../core/read-definition.ts";
import { complaintOf, line } from "../../align/commands/align-questions.ts";

/** @throws Cancelled */
export async function askLoop(known: Partial<WantedLoop>): Promise<WantedLoop> {
  const id =
    known.id ??
    (await line("What is the loop called?", undefined, true, (id) => (LOOP_ID.test(id) ? undefined : LOOP_ID_WORDS)));
  const phases = known.phases ?? (await askPhases());
  const gates = known.gates ?? (await askGates(phases));
  const mode = known.mode ?? ((await line("Its usual mode (empty: greenfield)", undefined, false)) || "greenfield");
  return { ...known, id, mode, phases, gates };
}

async function askPhases(): Promise<readonly WantedPhase[]> {
  const phases: WantedPhase[] = [];
  for (;;) {
    const first = phases.length === 0;
    const message = `Phase ${phases.length + 1} (NAME: skill, skill; NAME?: optional${first ? "" : "; empty: no more"})`;
    const answer = await line(message, undefined, first, (value) => {
      const phase = parsePhase(value);
      const twice = phase.ok && phases.some(({ name }) => name === phase.value.name);
      return twice ? "there is a phase of that name" : complaintOf(phase);
    });
    const phase = parsePhase(answer);
    if (answer === "" || !phase.ok) return phases;
    phases.push(phase.value);
  }
}

async function askGates(phases: readonly WantedPhase[]): Promise<readonly WantedGate[]> {
  const gates: WantedGate[] = [];
  for (;;) {
    const message = `Gate ${gates.length + 1} (ID <- PHASE: file, file; ID (auto) <- ...; empty: no more)`;
    const answer = await line(message, undefined, false, (value) => {
      const gate = parseGate(value);
      if (!gate.ok) return complaintOf(gate);
      if (gates.some(({ id }) => id === gate.value.id)) return "there is a gate of that id";
      const { after } = gate.value;
      const names = phases.map(({ name }) => name);
      return names.includes(after) ? undefined : `there is no phase ${after}; phases: ${names.join(", ")}`;
    });
    const gate = parseGate(answer);
    if (answer === "" || !gate.ok) return gates;
    const checks = gate.value.approval === "human" ? [] : await askChecks(gate.value.id);
    gates.push({ ...gate.value, checks });
  }
}

async function askChecks(gate: string): Promise<readonly string[]> {
  const checks: string[] = [];
  for (;;) {
    const more = checks.length === 0 ? "empty: none" : "empty: no more";
    const command = await line(`A command that has to succeed at ${gate} (npm test; ${more})`, undefined, false);
    if (command === "") return checks;
    checks.push(command);
  }
}
