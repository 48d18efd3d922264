/** `aot run "GOAL" --check "npm test"`: the goal is aligned and run in one command, asked about once (SPEC section 10). */
import { askYes, canAsk, needsPerson } from "../../terminal/ask-yes.ts";
import { alignmentFlags } from "../../align/commands/align-flags.ts";
import { alignedState, missingParts, type Alignment } from "../../align/alignment.ts";
import { headOf, placeFor, redFirstReport, settledBy, writeLoop, type AlignedReport } from "../../align/align-loop.ts";
import { notEarned } from "../../align/commands/not-earned.ts";
import { checkCandidates } from "../../project/check-candidates.ts";
import type { Call } from "../../command/call.ts";
import { ReaderGone } from "../../command/io.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { TRUST } from "../../core/luck.ts";
import type { State } from "../../core/state.ts";
import type { Settings } from "../../project/config-schema.ts";
import { setUpText } from "../../project/config-set-up.ts";
import { describeCheck, leavesOf } from "../../core/verdict.ts";
import { asWide } from "../../terminal/screen.ts";
import { limitWords, planText } from "./plan-text.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { redFirstLines } from "../../terminal/red-first-text.ts";
import { whileWaiting } from "../../terminal/wait-row.ts";
import { picked, type PreparedRun } from "./run-options.ts";
import { planOn, type PlannedRun } from "../run.ts";

/**
 * Writes the loop of the goal that the call names, once the person has said yes.
 * @returns what the command answers instead of running, or what was said of the sandbox: it is written, and can be run
 * @throws Unusable
 */
export async function alignHere(
  call: Call,
  { file, options, config }: PreparedRun,
): Promise<Answer | Pick<PlannedRun, "sandbox">> {
  if (call.isSet("restart"))
    throw new Unusable("a goal and --restart exclude each other", "--restart works the goal that is aligned already");
  const place = await placeFor(file.path, call.isSet("force"));
  if (!place.ok) return failure(place.problems, file.shown);
  const aligned = alignedState(alignmentOf(call, options.root, config.settings), await headOf(options.root, file.path));
  if (!aligned.ok) return failure(aligned.problems);
  const planned = await planOn({ state: aligned.value, spent_usd: 0 }, options);
  if (!planned.ok) return { ...failure(planned.problems), exit: planned.exit_code };
  const { trust = TRUST } = options.settings;
  const report = await whileWaiting(call.io, (signal, tell) =>
    redFirstReport(aligned.value.objective, {
      dir: options.root,
      stateFile: file.path,
      trust,
      signal,
      tell,
      places: options.sandbox && { ...options, sandbox: options.sandbox, is_said: true },
    }),
  );
  const state = settledBy(aligned.value, report);
  const paint = await painterFor(call.io, call.json ? 2 : 1);
  const set_up = setUpText(options.set_up);
  const said = summary(state, report, { ...planned, set_up, merge: options.merge }, paint);
  const refusal = notEarned(call, report, {
    shown: [said, ""],
    title: "not begun:",
    otherwise: "run it",
    asked: !call.isSet("yes") && (await canAsk(call)),
  });
  if (refusal !== null) return refusal;
  if (call.isSet("plan")) {
    const next_step = "start it with the same command without --plan";
    const json = { success: true, agent: planned.agent, ...planned.plan, next_step };
    return { exit: 0, json, text: await asWide(`${planText(planned)}\n\nnext: ${next_step}`, call.io) };
  }
  if (!(await isAgreed(call, said))) return { exit: 1, json: {}, text: "", trouble: "nothing was written" };
  const written = await writeLoop(file.path, state, { replace: place.value.replace, report });
  return written.ok ? planned : failure(written.problems, file.shown);
}

/** What one line is limited to where it says nothing; `aot redirect limit` raises it. */
const DEFAULT_LIMITS = { max_cost_usd: 10, max_duration: "2h", max_attempts_per_atom: 5 } as const;

/** Without a goal the checks are the goal. @throws Unusable without a check: what is found in the project is named */
function alignmentOf(call: Call, root: string, settings: Settings): Alignment {
  const given = alignmentFlags(call);
  const { base_case } = given;
  const checks =
    base_case === undefined
      ? []
      : leavesOf(base_case).map(({ check }) => describeCheck(check).replace("command: ", ""));
  const alignment: Alignment = {
    ...given,
    constraints: { ...DEFAULT_LIMITS, ...picked(settings, "max_iterations", "max_cost_usd", "max_duration") },
    ...(given.goal === undefined && checks.length > 0 ? { goal: `Make pass: ${checks.join(", ")}` } : {}),
  };
  if (missingParts(alignment).length === 0) return alignment;
  const found = checkCandidates(root).map(({ check, source }) => `--check "${check}" (${source})`);
  throw new Unusable(
    "there is no check: how does a machine see that the goal is reached?",
    found.length === 0 ? 'add --check "COMMAND"' : `found here: ${found.join(", ")}`,
  );
}

interface Planned extends Pick<PlannedRun, "agent" | "limits" | "sandbox"> {
  readonly merge: boolean;
  readonly set_up: string | null;
}

function summary(
  state: State,
  report: AlignedReport,
  { agent, limits, sandbox, merge, set_up }: Planned,
  paint: Painter,
): string {
  return [
    `${paint("bold", "goal")}    ${state.objective.goal}`,
    `${paint("bold", "agent")}   ${agent}; ${merge ? "verified work is fast-forwarded into your branch" : "its work is left where it is made"}`,
    `${paint("bold", "limits")}  ${limitWords(limits)}`,
    ...(sandbox === null ? [] : [sandbox.replace(/^sandbox:/, paint("bold", "sandbox"))]),
    ...(set_up === null ? [] : [`${paint("bold", "set-up")}  ${set_up}`]),
    ...redFirstLines(report, paint),
  ].join("\n");
}

/** @throws Unusable where nobody can be asked */
async function isAgreed(call: Call, said: string): Promise<boolean> {
  const { io } = call;
  const show = call.json ? io.err : io.out;
  const text = await asWide(said, io, call.json ? 2 : 1);
  try {
    show(`${text}\n`);
  } catch (error) {
    // A reader who leaves ends no run.
    if (!(error instanceof ReaderGone && call.isSet("yes"))) throw error;
  }
  if (call.isSet("yes")) return true;
  await needsPerson(call);
  return await askYes("Run it?");
}
