/** Working one phase of a phase loop: its AoT loop is made once, and run until it is verified (see run.ts). */
import { refused } from "../core/problem.ts";
import { deliverablesOf, type LoopDefinition, type Phase } from "./core/definition.ts";
import type { PhaseHistory, PhaseWork } from "./core/history.ts";
import { settingsLeft, spentBy } from "./phase-budget.ts";
import { readHistory, readTask } from "./file.ts";
import { phaseState } from "./phase-alignment.ts";
import { findSkill, skillFolders, type SkillText } from "./phase-skills.ts";
import { branchToTake, isVerified, makeWork, newWorkName, workFile } from "./phase-work.ts";
import { nextOf, halted, spent, tellJournal, type Halt, type PhaseRun } from "./phase-run.ts";
import type { ReadPhases } from "./answer.ts";
import { runLoop } from "../run/run.ts";
import type { NoRun } from "../run/options.ts";

/** Whether there is anything to do in a phase. */
export function hasWork(definition: LoopDefinition, phase: Phase): boolean {
  const { aot, skills, results } = phase;
  return aot !== undefined || skills.length + results.length + deliverablesOf(definition, phase).length > 0;
}

/** Null: its work is done, and the person's branch holds it. */
export async function workPhase(
  run: PhaseRun,
  { definition, loop }: ReadPhases,
  phase: Phase,
): Promise<Halt | NoRun | null> {
  if (!hasWork(definition, phase)) return null;
  const { stateFile } = run.options;
  const history = readHistory(stateFile, definition);
  const work = await workAt(run, { definition, loop }, phase, history);
  if (!("file" in work)) return work;
  const file = workFile(stateFile, work.file);
  const halt = (await isVerified(stateFile, work)) ? null : await runWork(run, definition, work);
  if (halt !== null) return halt;
  const left = await branchToTake(file, run.options.run.root);
  return left === null ? null : toTake(phase.name, left);
}

/** The loop that works the phase now: the one that was begun, or a new one. Its file stands. */
async function workAt(
  run: PhaseRun,
  { definition, loop }: Pick<ReadPhases, "definition" | "loop">,
  phase: Phase,
  history: PhaseHistory,
): Promise<PhaseWork | NoRun> {
  const { stateFile } = run.options;
  const begun = history.works.get(phase.name);
  const others = history.all_works.filter((work) => work.phase === phase.name && work.file !== begun?.file);
  const task = readTask(stateFile);
  const { mode } = loop;
  const state = phaseState({ definition, phase, task, mode, skills: skillsOf(run, phase), round: others.length + 1 });
  if (!state.ok) return { ok: false, exit_code: 2, problems: state.problems };
  if (state.value === null) throw new Error(`${phase.name} has nothing to work`);
  const work = begun ?? { phase: phase.name, file: newWorkName(stateFile, definition, phase.name) };
  if (begun === undefined) {
    const failed = tellJournal(run, { event: "phase_work", ...work });
    // Unknown to the journal it would be worked twice.
    if (failed.length > 0)
      return {
        ok: false,
        exit_code: 1,
        problems: refused(failed.join("; "), "look at the disk, then run again").problems,
      };
  }
  const lessons = history.lessons.get(phase.name) ?? [];
  const made = await makeWork(workFile(stateFile, work.file), state.value, lessons, task);
  return made.ok ? work : { ok: false, exit_code: 1, problems: made.problems };
}

function skillsOf({ options }: PhaseRun, phase: Phase): readonly SkillText[] {
  const folders = skillFolders(options.run.root, options.skills);
  return phase.skills.map(({ id, required }) => findSkill(id, required, folders));
}

async function runWork(run: PhaseRun, definition: LoopDefinition, work: PhaseWork): Promise<Halt | NoRun | null> {
  const { options, stopper, watch } = run;
  const history = readHistory(options.stateFile, definition);
  const settings = settingsLeft(
    options.run.settings,
    spentBy(options.stateFile, history, work.file),
    spentBy(options.stateFile, history),
  );
  if ("outcome" in settings) return spent(settings);
  run.notes.push(...tellJournal(run, { event: "phase_worked", ...work }));
  const stateFile = workFile(options.stateFile, work.file);
  const end = await runLoop(
    { ...options.run, stateFile, restart: false, settings },
    { line: watch.line, started: stopper.attach },
  );
  stopper.attach(null);
  if (!end.ok) return end;
  const { outcome, message, attempts, failures, notes, place } = end.report;
  run.worked.push({ phase: work.phase, state_file: stateFile, outcome, attempts, failures });
  run.notes.push(...notes);
  if (outcome === "verified") return null;
  return halted(outcome, `the phase ${work.phase}: ${message}. ${place}`, nextOf(outcome, stateFile, message));
}

/** PHASES-RUN-3. */
function toTake(phase: string, { branch, take }: NonNullable<Awaited<ReturnType<typeof branchToTake>>>): Halt {
  return halted(
    "needs_confirmation",
    `the phase ${phase} is verified, and its work is on the branch ${branch}, not in yours: the next phase would not see it`,
    `${take}, then \`aot phases run\``,
  );
}
