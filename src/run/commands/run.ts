import { existsSync } from "node:fs";
import type { JournalLine } from "../../core/journal-line.ts";
import type { Config } from "../../project/config.ts";
import type { Settings } from "../../project/config-schema.ts";
import { setUpOf } from "../../project/config-set-up.ts";
import { trustIn } from "../../align/commands/align-flags.ts";
import type { Extensions } from "../../history/extensions.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { planRun, runLoop } from "../run.ts";
import type { RunReport } from "../report.ts";
import { sandboxOf, type SandboxTerms } from "../../verify/sandbox.ts";
import { ATTEMPT_TIMEOUT_MS, type RunEnd, type RunOptions } from "../options.ts";
import { CHECKS, LIMITS } from "../../align/commands/spec.ts";
import type { Call } from "../../command/call.ts";
import { configured } from "../../command/configured-call.ts";
import { durationIn, unattendedOf } from "./unattended-options.ts";
import { nextStep, runAgain, sameLoop, wordsAgain } from "../../command/next-step.ts";
import type { Painter } from "../../terminal/paint.ts";
import { challengeMs } from "../../verify/commands/challenged.ts";
import { asWide } from "../../terminal/screen.ts";
import { planText } from "./plan-text.ts";
import { failure } from "../../command/problem-text.ts";
import { receipt } from "./receipt.ts";
import { keepWords } from "../detach.ts";
import { detached, isDetached, recorded } from "./detached.ts";
import { LOOP_TERMS } from "./terms.ts";
import { onStage } from "./stage.ts";
import type { Answer, Elsewhere, FlagSpec, Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { newStateFileOf, stateFileOf, type NamedFile } from "../../command/state-file.ts";

/** A run that flags and settings describe. */
export interface PreparedRun {
  readonly options: RunOptions;
  readonly file: NamedFile;
  readonly config: Config;
}

/** `aot run`. @param elsewhere where the flags may say that it runs instead @param known its own flags */
export const runWith =
  (extensions: Extensions, elsewhere: Elsewhere<PreparedRun>, known: readonly FlagSpec[]): Run =>
  async (given) => {
    const inBackground = isDetached();
    // What starts a detached run has aligned it.
    const isNew = (given.arg("goal") !== undefined || given.isSet("check")) && !inBackground;
    const file = isNew ? newStateFileOf(given) : stateFileOf(given);
    const ofGoal = [...CHECKS.map(({ name }) => name), "protect", "force"].find((flag) => given.isSet(flag));
    if (!isNew && ofGoal !== undefined && !inBackground)
      throw new Unusable(`--${ofGoal} belongs to a goal`, 'write the goal: `aot run "GOAL" --check "npm test"`');
    if (!isNew && !existsSync(file.path)) return notAligned(file);
    const complete = await configured(given, projectOf(file.path));
    if ("answer" in complete) return complete.answer;
    const { call, config } = complete;
    const options = {
      ...withExtensions(optionsOf(call, file), extensions),
      set_up: setUpOf(config.settings, projectOf(file.path)),
      sandbox: sandboxIn(call, config.settings),
      commits: commitsIn(call, config.settings),
    };
    const away = elsewhere.flags.find(
      ({ name, value, type }) => value !== undefined && type === undefined && call.isSet(name),
    );
    if (options.sandbox.setting === "require" && away !== undefined)
      throw new Unusable(
        `--sandbox require does not reach the machines that --${away.name} names`,
        "run it here, or leave the sandbox out",
      );
    const isHere = away === undefined && !["plan", "detach", "in-place"].some((flag) => call.isSet(flag));
    const code = isHere ? await (await import("./overlays.ts")).runWithOverlays(options, inBackground) : null;
    if (code !== null) return { exit: code, json: {}, text: "", isPrinted: true };
    // The limits of a new goal are the loop's own from here on.
    const flags = [...known, ...elsewhere.flags].filter((flag) => !isNew || !LIMITS.includes(flag));
    const again = runAgain(LOOP_TERMS.run, given, flags) + sameLoop(given);
    const words = wordsAgain(given, flags);
    const aligned = isNew ? await (await import("./align-here.ts")).alignHere(call, file, options) : null;
    if (aligned !== null && "exit" in aligned) return aligned;
    const taken = await elsewhere.take(call, { options, file, config });
    if (taken !== null) return taken;
    if (call.isSet("plan")) return await plan(call, options, file, again);
    if (call.isSet("detach")) return await detached(call, file, LOOP_TERMS);
    keepWords(file.path, words);
    const terms = { again, said: aligned?.sandbox ?? null };
    return await recorded(inBackground, file, () => work(call, options, file, terms));
  };

/** How the commits are to be that a person gets. */
export function commitsIn(call: Call, { commit_subject }: Settings): NonNullable<RunOptions["commits"]> {
  return {
    squash: call.isSet("squash"),
    signoff: call.isSet("signoff"),
    hooks: !call.isSet("no-hooks"),
    ...(commit_subject === undefined ? {} : { subject: commit_subject }),
  };
}

/** How the call and the settings behind it say that a run is confined. @throws Unusable */
export function sandboxIn(call: Call, settings: Settings): SandboxTerms {
  const min_free_mb = call.number("min-free-mb");
  return sandboxOf(settings, { sandbox: call.text("sandbox"), max_memory: sizeIn(call, "max-memory"), min_free_mb });
}

/** @throws Unusable */
function sizeIn(call: Call, flag: string): string | undefined {
  const text = call.text(flag);
  if (text === undefined || /^\d+[MG]$/.test(text)) return text;
  throw new Unusable(`--${flag} ${text} is no size`, "write a number with M or G: 512M, 4G");
}

function notAligned(file: NamedFile): Answer {
  const problem = {
    code: "file_missing",
    message: `there is no file ${file.shown}`,
    hint: "align a goal first: `aot align`",
  } as const;
  return { ...failure([problem], file.shown), exit: 3 };
}

type FlagOptions = Omit<RunOptions, "guard" | "engines">;

/** The options of a run by this program. */
export function withExtensions<O extends { readonly root: string }>(
  options: O,
  { guard, engines }: Extensions,
): O & Pick<RunOptions, "guard" | "engines"> {
  return { ...options, guard: guard(options.root, [process.execPath, ...process.argv.slice(1, 2)]), engines };
}

/** What the flags of a run say. @throws Unusable */
export function optionsOf(call: Call, file: NamedFile): FlagOptions {
  const set = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
    (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
  const unattended = unattendedOf(call);
  return {
    stateFile: file.path,
    root: projectOf(file.path),
    in_place: call.isSet("in-place"),
    merge: !call.isSet("no-merge"),
    restart: call.isSet("restart"),
    take_over: call.isSet("take-over"),
    accept_checkout: call.isSet("accept-checkout"),
    accept_goal: call.isSet("accept-goal"),
    forget_answers: call.isSet("forget-answers"),
    ...set("agent", call.text("agent")),
    ...set("worker", call.text("worker")),
    ...set("probe", call.text("probe")),
    ...set("planner", call.text("planner")),
    ...set("judge", call.text("judge")),
    ...set("escalate", call.text("escalate")),
    ...set("record", call.text("record")),
    ...set("replay_speed", call.number("replay-speed")),
    ...set("challenge_ms", challengeMs(call)),
    ...unattended.options,
    settings: {
      ...unattended.settings,
      ...set("parallel", call.number("parallel")),
      ...set("max_iterations", call.number("max-iterations")),
      ...set("max_cost_usd", call.number("max-cost-usd")),
      ...set("max_duration_ms", durationIn(call, "max-duration")),
      ...set("trust", trustIn(call)),
      verify_each: call.isSet("verify-each"),
      confirmed: call.isSet("confirm"),
    },
    limits: {
      timeout_ms: durationIn(call, "attempt-timeout") ?? ATTEMPT_TIMEOUT_MS,
      ...unattended.limits,
      ...set("idle_timeout_ms", durationIn(call, "idle-timeout")),
      ...set("max_call_usd", call.number("max-call-usd")),
    },
  };
}

/** @param again the command that starts it */
async function plan(call: Call, options: RunOptions, file: NamedFile, again: string): Promise<Answer> {
  const planned = await planRun(options);
  if (!planned.ok) return { ...failure(planned.problems, file.shown), exit: planned.exit_code };
  const next_step = `start it with \`${again}\``;
  const json = { success: true, agent: planned.agent, ...planned.plan, next_step };
  return { exit: 0, json, text: await asWide(`${planText(planned)}\n\nnext: ${next_step}`, call.io) };
}

/** @param again the command that goes on @param said of the sandbox, before the person agreed: it is said again only if it is another */
async function work(
  call: Call,
  options: RunOptions,
  file: NamedFile,
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
