/** `aot run --engine`: the loop is worked by an engine's workers, and shown here as a run is (SPEC sections 9 and 13). */
import { agentRefusal, requestOf } from "../owned-loop.ts";
import { beginHosted, followHosted, type HostedEnd, type HostedRun } from "../run-hosted.ts";
import { whatIsLocalOnly } from "../local-only.ts";
import type { SubmitOptions } from "../submit-loop.ts";
import { notifyAndReport } from "../../run/unattended.ts";
import type { PreparedRun } from "../../run/commands/run-options.ts";
import type { RunWatch, RunOptions } from "../../run/options.ts";
import type { Call } from "../../command/call.ts";
import { nextStep } from "../../command/next-step.ts";
import { painterFor } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import { receipt } from "../../run/commands/receipt.ts";
import { openRunStage, type RunStage } from "../../run/commands/stage.ts";
import type { Answer } from "../../command/spec.ts";
import type { NamedFile } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { setUpOf } from "../../project/config-set-up.ts";
import { engineNamed } from "../client.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { originOf } from "../origin.ts";
import { accepted, type Result } from "../../core/problem.ts";

/** Flags of `aot run` that are about this host. */
const ONLY_HERE = ["restart", "take-over", "record", "dashboard", "plan"] as const;

/** @param engine as named. @throws Unusable */
export async function hostedRun(call: Call, engine: string, prepared: PreparedRun): Promise<Answer> {
  const { options, file } = prepared;
  const words = call.texts("accept").filter((what) => what !== "assertions");
  const given = [...ONLY_HERE.filter((flag) => call.isSet(flag)), ...words.map((what) => `accept ${what}`)];
  const [wrong] = given.map((flag) => `--${flag}`);
  if (wrong !== undefined) throw new Unusable(`${wrong} is about a run on this host`, "leave out one of the two");
  const agent = agentRefusal(call.io.env);
  if (agent !== null) return failure(agent.problems);
  const request = await submitOptions(engine, prepared, call.io.env);
  if (!request.ok) return failure(request.problems);
  const begun = await beginHosted(request.value, options.settings.confirmed);
  if (!begun.ok) {
    const exit = "exit_code" in begun ? { exit: Number(begun.exit_code) } : {};
    return { ...failure(begun.problems, file.shown), ...exit };
  }
  const run = begun.value;
  // It is running without this process as it is.
  if (call.isSet("detach"))
    return { ...(await answerTo(call, null, run, file)), notes: await whatIsLocalOnly(options.root) };
  const warn = (text: string): void => call.io.err(`${text}\n`);
  const unattended = notifyAndReport({ ...options, warn }, { line: () => undefined });
  const said = [run.message, ...(await whatIsLocalOnly(options.root))];
  const end = await shown(call, { request: request.value, run, said, seen: unattended.watch });
  if (end !== null) await unattended.ended(end);
  return await answerTo(call, end, run, file);
}

interface Shown {
  readonly request: SubmitOptions;
  readonly run: HostedRun;
  /** What is reported at first. */
  readonly said: readonly string[];
  /** Sees every line that is shown. */
  readonly seen: RunWatch;
}

/** Ctrl-C on a terminal asks what is to become of the loop; elsewhere, and once it stops, it is as of a run here. */
async function shown(call: Call, { request, run, said, seen }: Shown): Promise<HostedEnd> {
  const { io, json } = call;
  let asks = !json && (await io.isTerminal(0)) && (await io.isTerminal(1));
  let reported = run.from;
  const line: RunWatch["line"] = (one) => {
    reported++;
    seen.line(one);
  };
  for (let first = said; ; first = []) {
    const stage = await openRunStage(call, request.stateFile, asks ? "" : undefined);
    for (const text of first) stage.view.say(text);
    const looked = await looking(stage, { request, run, reported, line, asks });
    stage.view.close();
    stage.close();
    if (looked !== "asked") return looked;
    const choice = await asked(run.owner.loop);
    if (choice === "leave") return null;
    if (choice === "look") continue;
    asks = false;
    await steer(request, run, choice, (text) => io.err(`${text}\n`));
  }
}

interface Look extends Pick<Shown, "request" | "run">, Pick<RunWatch, "line"> {
  readonly reported: number;
  readonly asks: boolean;
}

async function looking(stage: RunStage, { request, run, reported, line, asks }: Look): Promise<HostedEnd | "asked"> {
  const away = new AbortController();
  const say = (text: string): void => stage.warn(text);
  stage.signals.attach({
    stop: () => (asks ? away.abort() : void steer(request, run, "stop", say)),
    kill: () => void steer(request, run, "cancel", say),
    note: say,
  });
  const watch = {
    line: (one: Parameters<RunWatch["line"]>[0]) => {
      stage.line(one);
      line(one);
    },
    say,
  };
  const end = await followHosted(request, run, watch, { signal: away.signal, reported });
  return away.signal.aborted && end === null ? "asked" : end;
}

/** What the engine cannot be asked is said; the loop is looked at all the same. */
async function steer(
  { engine }: SubmitOptions,
  { owner }: HostedRun,
  kind: "stop" | "cancel",
  say: (text: string) => void,
): Promise<void> {
  const reported = await requestOf(engine, owner.loop, { kind, reason: "Ctrl-C" });
  say(reported.ok ? reported.value : reported.problems.map(({ message }) => message).join("; "));
}

type Choice = "stop" | "cancel" | "leave" | "look";

async function asked(loop: string): Promise<Choice> {
  const { isCancel, select } = await import("@clack/prompts");
  const choice = await select<Choice>({
    message: `What should happen to ${loop}? (Ctrl-C: leave it running)`,
    options: [
      { value: "leave", label: "leave it running", hint: "`aot run --engine` looks on again" },
      { value: "stop", label: "stop it", hint: "attempts in flight are finished first" },
      { value: "cancel", label: "kill what is in flight, and stop it" },
      { value: "look", label: "go on looking" },
    ],
  });
  return isCancel(choice) ? "leave" : choice;
}

async function answerTo(call: Call, end: HostedEnd, { owner }: HostedRun, file: NamedFile): Promise<Answer> {
  if (end === null) {
    const text = `${owner.loop} goes on at ${owner.engine}; \`aot loops\` shows it, \`aot stop\` stops it`;
    return { exit: 0, json: { success: true, ...owner, at_work: true }, text };
  }
  if (!end.ok) return { ...failure(end.problems, file.shown), exit: end.exit_code };
  const { report, exit_code } = end;
  const json = { success: exit_code === 0, ...owner, ...report, exit_code, next_step: nextStep(report) };
  return { exit: exit_code, json, text: receipt(report, await painterFor(call.io, call.json ? 2 : 1)) };
}

interface SubmittedRun extends Pick<PreparedRun, "file" | "config"> {
  readonly options: Omit<RunOptions, "guard" | "engines">;
}

/** @param name the engine's. @throws Unusable */
export async function submitOptions(
  name: string,
  { options, file, config }: SubmittedRun,
  env: Call["io"]["env"],
): Promise<Result<SubmitOptions>> {
  const engine = engineNamed(name, env);
  if (!engine.ok) return engine;
  const remote = config.settings.remote ?? (await originOf(projectOf(file.path)));
  if (remote === null)
    throw new Unusable(
      "no shared repository is named, and this one has no remote `origin`",
      "name it: --set remote=URL",
    );
  const { settings, limits, agent, worker, probe, planner, judge, escalate } = options;
  const crew = Object.fromEntries(
    Object.entries({ agent, worker, probe, planner, judge, escalate }).filter(([, value]) => value !== undefined),
  );
  return accepted({
    stateFile: file.path,
    engine: engine.value,
    remote,
    crew,
    limits,
    settings: { ...settings, ...(planner === "none" ? {} : { planner: true }) },
    set_up: setUpOf(config.settings),
  });
}
