/** `aot` alone: what there is in this folder, and the next step. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { checkCandidates } from "../../project/check-candidates.ts";
import type { Call } from "../../command/call.ts";
import { nextStep } from "../../command/next-step.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { controlSentence } from "../../history/outcome-words.ts";
import { WITH_MODEL } from "../../loop/agent-kinds.ts";
import { findPhaseFile } from "../../project/find-phase-file.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { painterFor } from "../../terminal/paint.ts";
import { asWide } from "../../terminal/screen.ts";
import { oneLine } from "../../terminal/verdict-text.ts";
import { resolvedWords } from "../../view/standing.ts";
import { loopStatus, type LoopStatus } from "../loop-status.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  if (!existsSync(file.path)) return await shown(call, withoutLoop(call, projectOf(file.path)));
  const status = await loopStatus(file.path);
  return status.ok ? await shown(call, ofLoop(status.value, file.shown)) : failure(status.problems, file.shown);
};

interface Overview {
  readonly json: object;
  readonly lines: readonly string[];
  readonly next: string;
}

async function shown(call: Call, { json, lines, next }: Overview): Promise<Answer> {
  const paint = await painterFor(call.io);
  const text = [...lines, "", `${paint("bold", "next:")} ${next}`, paint("dim", "every command: `aot --help`")].join(
    "\n",
  );
  return { exit: 0, json: { success: true, ...json, next_step: next }, text: await asWide(text, call.io) };
}

function withoutLoop(call: Call, project: string): Overview {
  if (call.stateFile === undefined && findPhaseFile(call.io.cwd).ok)
    return { json: { loop: null }, lines: ["a loop of phases"], next: "look at it with `aot phases status`" };
  const agents = WITH_MODEL.filter((name) => isInstalled(name, call.io.env));
  const checks = checkCandidates(project);
  const [check] = checks;
  return {
    json: { loop: null, agents, checks },
    lines: [
      "aot drives coding agents until a goal is verified. There is no loop here yet.",
      `agents  ${agents.length === 0 ? `none of ${WITH_MODEL.join(", ")} is on the PATH; any program works: --agent 'command:...'` : agents.join(", ")}`,
      `checks  ${checks.length === 0 ? "none found: any command that fails until the goal is reached" : checks.map((one) => one.check.replace("command: ", "")).join(", ")}`,
    ],
    next: `say what you want, and how a machine sees it: \`aot run "GOAL" --check "${check?.check.replace("command: ", "") ?? "COMMAND"}"\``,
  };
}

function isInstalled(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const names = process.platform === "win32" ? [`${program}.cmd`, `${program}.exe`] : [program];
  return (env["PATH"] ?? "").split(delimiter).some((dir) => names.some((name) => existsSync(join(dir, name))));
}

function ofLoop(status: LoopStatus, file: string): Overview {
  const { state, runner, session, resolved, measure } = status;
  const { control, objective } = state;
  const { outcome = null, stop_reason } = control;
  const { words, reason } = controlSentence(control, oneLine(stop_reason ?? "", 400));
  const what = runner === null ? `${words}${reason}` : `running, pid ${runner.pid}`;
  const busy = runner !== null || session !== null;
  return {
    json: { loop: { file, goal: objective.goal, status: control.status, outcome, running: busy } },
    lines: [oneLine(objective.goal), `${what}; ${resolvedWords({ resolved, left: measure })}`, file],
    next: busy
      ? "watch it with `aot attach`, look at it with `aot status`, end it with `aot stop`"
      : outcome === null
        ? "`aot run --plan` says what it may take, `aot run` works it"
        : nextStep({ outcome, message: stop_reason ?? "" }),
  };
}
