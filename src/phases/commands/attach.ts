import type { AnyLine } from "../../core/journal-line.ts";
import { attachPhases } from "../attach.ts";
import { nextOf } from "../next.ts";
import { readPhases } from "../answer.ts";
import type { Outcome } from "../../core/state.ts";
import { attach, type Attached } from "../../run/commands/attach-view.ts";
import { clockOf } from "../../terminal/event-text.ts";
import { describePhaseEvent } from "../event-text.ts";
import { failure } from "../../command/problem-text.ts";
import { PHASES_TERMS } from "../../run/commands/terms.ts";
import type { Run } from "../../command/spec.ts";
import { nextText, phaseFileOf, stepsHere } from "./answer.ts";

export const run: Run = async (call) => {
  const file = phaseFileOf(call);
  if (!file.ok) return failure(file.problems);
  const { path } = file.value;
  return await attach(call, file.value, {
    terms: PHASES_TERMS,
    follow: ({ view, paint, signal }) => {
      const phases = (line: AnyLine): void => view?.say(phaseLine(line, paint));
      return attachPhases(path, { phases, work: (line) => view?.line(line) }, signal);
    },
    next: (outcome) => stepsHere(nextStepOf(path, outcome), call),
  });
};

function phaseLine(line: AnyLine, paint: Attached["paint"]): string {
  return `${paint("dim", clockOf(line.time))} ${paint("bold", describePhaseEvent(line).text)}`;
}

/** At a gate what it asks for; else as after a run. */
function nextStepOf(stateFile: string, outcome: Outcome): string {
  const read = outcome === "needs_confirmation" ? readPhases(stateFile) : null;
  return read?.ok === true ? nextText(read.value.definition, read.value.loop) : nextOf(outcome);
}
