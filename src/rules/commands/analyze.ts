import { analyzeTranscripts, type Analysis, type AnalyzedFinding, type Judge, type Proposed } from "../analyze.ts";
import { agentFor, askTurns } from "../ask-turns.ts";
import { describeCall } from "../analyze/past-call.ts";
import { writeNewRule } from "../edit.ts";
import { ruleFolders } from "../place.ts";
import { accepted, type Result } from "../../core/problem.ts";
import type { Agent } from "../../loop/ports.ts";
import { loadConfig } from "../../project/config.ts";
import { sessionAbove } from "../../project/session-owner.ts";
import { quoted } from "../../command/next-step.ts";
import { interruptible } from "../../command/interrupt.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import type { Call } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { choiceOf, countsJson, countsNotes, countsText, placeText, shortPath } from "./transcript-answer.ts";

/** Findings that a person is shown; programs get all. */
const SHOWN = 20;

interface Look {
  readonly env: Call["io"]["env"];
  readonly paint: Painter;
}

/** Who reads the messages; `why`: nobody does. */
type Reader = { readonly agent: Agent } | { readonly agent: null; readonly why: string };

export const run: Run = async (call) => {
  const { cwd, env } = call.io;
  const found = await readerOf(call);
  if (!found.ok) return failure(found.problems);
  const reader = found.value;
  const analyzed = await interruptible(call.io, (signal) =>
    analyzeTranscripts(choiceOf(call), { cwd, env }, signal, judgeOf(reader, call, signal)),
  );
  await reader.agent?.close();
  if (!analyzed.ok) return failure(analyzed.problems);
  const { counts, messages, findings, differing } = analyzed.value;
  const reported = tellFindings(analyzed.value, reader, call.number("limit") ?? SHOWN, {
    env,
    paint: await painterFor(call.io),
  });
  const written = await chosen(call, findings, reported);
  if (!written.ok) return failure(written.problems);
  const lines = written.value?.map((file) => `written: ${shortPath(file, env)}`);
  return {
    exit: 0,
    json: {
      success: true,
      transcripts: countsJson(counts),
      agent: reader.agent?.name ?? null,
      messages,
      differing,
      findings: findings.map(findingJson),
    },
    text: lines === undefined ? reported : lines.join("\n"),
    notes: [
      ...countsNotes(counts),
      ...(reader.agent === null ? [`only calls that you refused were looked at: ${reader.why}`] : []),
      ...(messages.older === 0
        ? []
        : [`${messages.older} older messages were not read: --session ID takes one session`]),
    ],
  };
};

async function readerOf(call: Call): Promise<Result<Reader>> {
  const config = await loadConfig(call.io.cwd, call.io.env);
  if (!config.ok) return config;
  const named = call.text("agent") ?? config.value.settings.agent;
  if (named === "none") return accepted({ agent: null, why: "no agent was to be asked" });
  const isInside = named === undefined && sessionAbove(call.io.env) !== null;
  if (isInside) return accepted({ agent: null, why: "a session starts no client of its own; --agent NAME asks one" });
  const agent = await agentFor(named);
  if (agent.ok) return accepted({ agent: agent.value });
  return named === undefined ? accepted({ agent: null, why: agent.problems[0]?.message ?? "" }) : agent;
}

function judgeOf({ agent }: Reader, call: Call, signal: AbortSignal): Judge | undefined {
  if (agent === null) return undefined;
  const tell = (message: string): void => call.io.err(`${message} ...\n`);
  return async (turns) => await askTurns(agent, turns, { dir: call.io.cwd, tell }, signal);
}

/** Rules that the person takes, on a terminal. @returns their files; null: nobody was asked */
async function chosen(
  call: Call,
  findings: readonly AnalyzedFinding[],
  reported: string,
): Promise<Result<readonly string[] | null>> {
  const proposed = findings.flatMap((one) => one.proposed ?? []);
  const asking = !call.json && proposed.length > 0 && (await call.io.isTerminal(0)) && (await call.io.isTerminal(1));
  const [folder] = ruleFolders(call.io.cwd, call.io.env);
  if (!asking || folder === undefined) return accepted(null);
  call.io.out(`${reported}\n\n`);
  const { isCancel, multiselect } = await import("@clack/prompts");
  const answer = await multiselect({
    message: "Which of these rules are written? (none: leave all out)",
    options: proposed.map(({ rule }) => ({ value: rule.name, label: rule.name, hint: rule.action })),
    required: false,
  });
  const files: string[] = [];
  for (const { rule, text } of isCancel(answer) ? [] : proposed.filter((one) => answer.includes(one.rule.name))) {
    const kept = writeNewRule(folder, rule.name, text, false);
    if (!kept.ok) return kept;
    files.push(kept.value);
  }
  return accepted(files);
}

function tellFindings(
  { counts, messages, findings, differing }: Analysis,
  { agent }: Reader,
  limit: number,
  look: Look,
): string {
  const { asked, again, approvals, pasted, without_calls } = messages;
  const left = `${again} read before, ${approvals} approvals, ${pasted} pasted, ${without_calls} before any call`;
  const read = agent === null ? "" : `\n${agent.name} read ${asked} messages (left out: ${left})`;
  const more = findings.length - limit;
  return [
    `${countsText(counts)}${findings.length === 0 ? ": nothing found that you corrected" : ""}${read}`,
    ...findings.slice(0, limit).map((finding, index) => findingText(finding, index + 1, look)),
    ...(more > 0 ? [`and ${more} more: \`--limit ${findings.length}\` shows them, \`--json\` too`] : []),
    ...(differing === 0 ? [] : [`left out: ${differing} messages on which the readings differ`]),
  ].join("\n\n");
}

function findingJson({ finding, proposed }: AnalyzedFinding): object {
  const { severity, call, quotes, rule } = finding;
  return {
    name: rule?.name ?? null,
    severity,
    what: call === null ? null : describeCall(call),
    quotes: quotes.map(({ text, at, call: about }) => ({ text, ...at, call: about?.at ?? null })),
    words: rule?.words ?? null,
    rule: proposed === null ? null : { ...proposed.rule, text: proposed.text },
    replay: proposed === null ? null : replayJson(proposed),
  };
}

function replayJson({ replay, harmless }: Proposed): object {
  return { ...replay, examples: harmless.map(({ at, tool, text }) => ({ ...at, tool, text })) };
}

function findingText({ finding, proposed }: AnalyzedFinding, number: number, look: Look): string {
  const { env, paint } = look;
  const { severity, call, quotes, rule } = finding;
  const colour = severity === "high" ? "red" : severity === "medium" ? "yellow" : "dim";
  const times = quotes.length === 1 ? "once" : `${quotes.length} times`;
  return [
    `${number}. ${paint("bold", rule?.name ?? "(no rule)")}  ${paint(colour, severity)}, ${times}`,
    `   ${call === null ? "none of the calls before it" : describeCall(call)}`,
    ...quotes.map(({ text, at }) => `   "${text.replaceAll(/\s+/g, " ")}"  ${paint("dim", placeText(at, env))}`),
    ...(rule === null ? [] : [`   rule: ${rule.words}`]),
    ...(rule === null || proposed !== null ? [] : ["   in words alone: no pattern tells such a call from good ones"]),
    ...(proposed === null ? [] : proposalLines(proposed, look)),
  ].join("\n");
}

function proposalLines({ rule, replay, harmless }: Proposed, { env, paint }: Look): readonly string[] {
  const { tried, caught } = replay;
  const conditions = rule.conditions.flatMap((one) => ["--condition", `${one.field} ${one.operator} ${one.pattern}`]);
  const words = ["add", rule.name, "--event", rule.event, ...conditions, "--message", rule.message];
  return [
    `   replay: catches ${caught} of these, and ${replay.harmless} of the ${tried - caught} others, which nobody complained about`,
    ...harmless.map(({ at, tool, text }) => `     ${tool}: ${text}  ${paint("dim", placeText(at, env))}`),
    `   keep it: aot rules ${words.map(quoted).join(" ")}`,
  ];
}
