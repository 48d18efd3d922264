import { existsSync } from "node:fs";
import type { JournalLine } from "../../core/journal-line.ts";
import type { Extensions } from "../../history/extensions.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { planRun, runLoop } from "../run.ts";
import type { RunReport } from "../report.ts";
import type { RunEnd } from "../options.ts";
import type { Call } from "../../command/call.ts";
import { CHECKS, PROTECT } from "../../align/commands/spec.ts";
import { configOf } from "./call-config.ts";
import { nextStep, runAgain, sameLoop, wordsAgain } from "../../command/next-step.ts";
import type { Painter } from "../../terminal/paint.ts";
import { asWide } from "../../terminal/screen.ts";
import { planText } from "./plan-text.ts";
import { failure } from "../../command/problem-text.ts";
import { receipt } from "./receipt.ts";
import { optionsOf, withExtensions, type PreparedRun } from "./run-options.ts";
import { keepWords } from "../detach.ts";
import { detached, isDetached, recorded } from "./detached.ts";
import { LOOP_TERMS } from "./terms.ts";
import { onStage } from "./stage.ts";
import type { Answer, Elsewhere, FlagSpec, Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { newStateFileOf, stateFileOf, type NamedFile } from "../../command/state-file.ts";

/** `aot run`. @param elsewhere where the flags may say that it runs instead @param flags those that it takes */
export const runWith =
  (extensions: Extensions, elsewhere: Elsewhere<PreparedRun>, flags: readonly FlagSpec[]): Run =>
  async (call) => {
    const inBackground = isDetached();
    // What starts a detached run has aligned it.
    const isNew = (call.arg("goal") !== undefined || call.isSet("check")) && !inBackground;
    const file = isNew ? newStateFileOf(call) : stateFileOf(call);
    const ofGoal = [...CHECKS, PROTECT]
      .map(({ name }) => name)
      .concat("force")
      .find((flag) => call.isSet(flag));
    if (!isNew && ofGoal !== undefined && !inBackground)
      throw new Unusable(`--${ofGoal} belongs to a goal`, 'write the goal: `aot run "GOAL" --check "npm test"`');
    if (!isNew && !existsSync(file.path)) return notAligned(file);
    const config = await configOf(call, projectOf(file.path));
    if ("answer" in config) return config.answer;
    const options = withExtensions(optionsOf(call, file, config.settings), extensions);
    const prepared = { options, file, config };
    const away = elsewhere.flags.find(({ name }) => call.isSet(name));
    if (options.sandbox.setting === "require" && away !== undefined)
      throw new Unusable(
        `--sandbox require does not reach the machines that --${away.name} names`,
        "run it here, or leave the sandbox out",
      );
    // The limits of a new goal are the loop's own from here on.
    const words = wordsAgain(call, flags, !isNew);
    const again = runAgain(LOOP_TERMS.run, words) + sameLoop(call);
    const aligned = isNew ? await (await import("./align-here.ts")).alignHere(call, prepared) : null;
    if (aligned !== null && "exit" in aligned) return aligned;
    const taken = await elsewhere.take(call, prepared);
    if (taken !== null) return taken;
    if (call.isSet("plan")) return await plan(call, prepared, again);
    if (call.isSet("detach")) return await detached(call, file, LOOP_TERMS);
    keepWords(file.path, words);
    const terms = { again, said: aligned?.sandbox ?? null };
    return await recorded(inBackground, file, () => work(call, prepared, terms));
  };

function notAligned(file: NamedFile): Answer {
  const problem = {
    code: "file_missing",
    message: `there is no file ${file.shown}`,
    hint: "align a goal first: `aot align`",
  } as const;
  return { ...failure([problem], file.shown), exit: 3 };
}

/** @param again the command that starts it */
async function plan(call: Call, { options, file }: PreparedRun, again: string): Promise<Answer> {
  const planned = await planRun(options);
  if (!planned.ok) return { ...failure(planned.problems, file.shown), exit: planned.exit_code };
  const next_step = `start it with \`${again}\``;
  const json = { success: true, agent: planned.agent, ...planned.plan, next_step };
  return { exit: 0, json, text: await asWide(`${planText(planned)}\n\nnext: ${next_step}`, call.io) };
}

/** @param again the command that goes on @param said of the sandbox, before the person agreed: it is said again only if it is another */
async function work(
  call: Call,
  { options, file }: PreparedRun,
  { again, said }: { readonly again: string; readonly said: string | null },
): Promise<Answer> {
  const news =
    (line: (line: JournalLine) => void) =>
    (one: JournalLine): void => {
      if (one.event !== "note" || one.message !== said) line(one);
    };
  return await onStage(
    call,
    { file, stateFile: file.path },
    ({ warn, line, signals }) => runLoop({ ...options, warn }, { line: news(line), started: signals.attach }),
    (end, paint) => answerTo(end, file, paint, (report) => nextStep(report, again, sameLoop(call))),
  );
}

function answerTo(end: RunEnd, file: NamedFile, paint: Painter, next: (report: RunReport) => string): Answer {
  if (!end.ok) return { ...failure(end.problems, file.shown), exit: end.exit_code };
  const { report, exit_code } = end;
  const next_step = next(report);
  const json = { success: exit_code === 0, ...report, exit_code, next_step };
  return { exit: exit_code, json, text: receipt(report, paint, next_step) };
}
