import type { AnyLine } from "../../core/journal-line.ts";
import { attachPhases } from "../../app/phases/phases-attach.ts";
import { nextOf } from "../../app/phases/phases-next.ts";
import { readPhases } from "../../app/phases/phases.ts";
import type { Outcome } from "../../core/state.ts";
import { attach, type Attached } from "../attach-view.ts";
import { clockOf, describeEvent } from "../event-text.ts";
import { failure } from "../problem-text.ts";
import { PHASES_TERMS } from "../run-terms.ts";
import type { Run } from "../spec.ts";
import { nextText, phaseFileOf, stepsHere } from "./phases-answer.ts";

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
  return `${paint("dim", clockOf(line.time))} ${paint("bold", describeEvent(line).text)}`;
}

/** At a gate what it asks for; else as after a run. */
function nextStepOf(stateFile: string, outcome: Outcome): string {
  const read = outcome === "needs_confirmation" ? readPhases(stateFile) : null;
  return read?.ok === true ? nextText(read.value.definition, read.value.loop) : nextOf(outcome);
}
