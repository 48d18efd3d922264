/** The judgement of iterations whose attempts have settled (SPEC sections 4 and 5). What is progress is in progress.ts. */
import { askOfStall } from "./question.ts";
import { blamedOf, isPatienceLeft } from "./blame.ts";
import { currentVerdict, limitsIn, type Loop, type OpenIteration } from "./loop.ts";
import { isStall, judgeIteration, type Movement } from "./progress.ts";
import { fits, isIn } from "./schedule.ts";
import { setControl, setRun, type StepDraft } from "./step-draft.ts";
import { takeReady } from "./view.ts";

/** Judges every iteration whose last attempt has settled; with `all` also those that have attempts left. */
export function judgeSettled(draft: StepDraft, all: boolean): void {
  for (const open of draft.loop.run.iterations) {
    if (open.running > 0 || (!all && hasMore(draft.loop, open))) continue;
    // Of what a person ended there is nothing to judge.
    if (open.interrupted === open.issued) close(draft, open);
    else judge(draft, open);
  }
}

/** Whether the iteration has attempts left, and something that may still take them. */
function hasMore(loop: Loop, open: OpenIteration): boolean {
  const { parallel } = limitsIn(loop);
  if (open.issued >= parallel || open.number !== loop.state.control.iteration) return false;
  if (takeReady(loop, (index) => fits(loop, index) && !isIn(loop, open, index)) !== null) return true;
  return takeReady(loop, (index) => fits(loop, index)) === null;
}

function close(draft: StepDraft, open: OpenIteration): void {
  setRun(draft, { iterations: draft.loop.run.iterations.filter((other) => other !== open) });
}

function judge(draft: StepDraft, open: OpenIteration): void {
  const { run } = draft.loop;
  const isUnseen = run.settings.verify_each && run.background.kind !== "checking" && currentVerdict(run) === null;
  setRun(draft, { check_due: run.check_due || isUnseen });
  const { measure } = draft.loop.view;
  const credited = open.credited || isPatienceLeft(draft.loop, open);
  const { movement, control } = judgeIteration(draft.loop.state.control, { ...open, credited }, measure);
  // The verdict that is to come may be its progress.
  if (isStall(movement) && isVerdictAwaited(draft.loop)) return;
  close(draft, open);
  const blamed = isStall(movement) ? blamedOf(draft.loop, open) : null;
  draft.facts.push({
    fact: "iteration_judged",
    iteration: open.number,
    measure,
    before: open.before,
    movement,
    stall_count: control.stall_count,
    ...(blamed === null ? {} : { blamed }),
    ...(control.stall_count === 1 && isStall(movement) ? { advice: adviceOn(movement, blamed) } : {}),
  });
  setControl(draft, control);
  if (blamed !== null) askOfStall(draft, blamed);
}

function adviceOn(movement: Movement, blamed: string | null): string {
  if (movement === "expansion")
    return `the work grew: merge atoms that overlap, or choose another approach for ${blamed ?? "what was added"}`;
  if (blamed === null) return "the work did not shrink, and no atom failed: look at what fails with `aot verify`";
  return `the work did not shrink: look at the failures with \`aot log ${blamed}\`, split ${blamed}, or give it an alternative (an OR group)`;
}

function isVerdictAwaited(loop: Loop): boolean {
  return loop.run.background.kind === "checking" || isCheckDue(loop);
}

/** When everything that counts is resolved, and with --verify-each after every iteration. */
export function isCheckDue({ run, state, view }: Loop): boolean {
  if (state.control.stop_requested || run.tampered.length > 0 || currentVerdict(run) !== null) return false;
  return run.check_due || (view.measure === 0 && run.attempts.length === 0);
}
