import { analyzeTranscripts, type Analysis, type AnalyzedFinding, type Judge } from "../analyze.ts";
import { interruptible } from "../../command/interrupt.ts";
import { painterFor, type Painter } from "../../terminal/paint.ts";
import { failure } from "../../command/problem-text.ts";
import type { Call } from "../../command/call.ts";
import type { Run } from "../../command/spec.ts";
import { writeChosen } from "./analyze-write.ts";
import { choiceOf, countsJson, countsNotes, countsText, placeText, shortPath } from "./transcript-answer.ts";

/** Findings that a person is shown; programs get all. */
const SHOWN = 20;
type Environment = Call["io"]["env"];

export const run: Run = async (call) => {
  const { cwd, env } = call.io;
  const analyzed = await interruptible(call.io, (signal) =>
    analyzeTranscripts(choiceOf(call), { cwd, env }, signal, judgeOf(call, signal)),
  );
  if (!analyzed.ok) return failure(analyzed.problems);
  const { counts, findings, turns, left_out } = analyzed.value;
  const reported = tellFindings(analyzed.value, env, await painterFor(call.io), call.number("limit") ?? SHOWN);
  const written = await writeChosen(call, findings, reported);
  if (!written.ok) return failure(written.problems);
  const { asked, files } = written.value;
  const lines = files.map(({ name, file }) => `written: ${name} (${shortPath(file, env)})`);
  return {
    exit: 0,
    json: {
      success: true,
      transcripts: countsJson(counts),
      findings: findings.map(findingJson),
      turns: turns.map(({ turn, at }) => ({ kind: turn, ...at })),
      left_out,
      written: files,
    },
    text: asked || lines.length > 0 ? lines.join("\n") : reported,
    notes: [...countsNotes(counts), ...(left_out === 0 ? [] : [`${left_out} further occurrences are left out`])],
  };
};

function judgeOf(call: Call, signal: AbortSignal): Judge | undefined {
  const agentName = call.text("agent");
  if (agentName === undefined) return undefined;
  return async (doubtful) => {
    const { judgeDoubtful } = await import("../judge-doubtful.ts");
    return await judgeDoubtful(doubtful, { agentName, dir: call.io.cwd }, signal);
  };
}

/** "your messages: task 3, question 2" */
function turnsText(turns: Analysis["turns"]): string {
  const counts = new Map<string, number>();
  for (const { turn } of turns) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one);
  return `your messages: ${most.map(([turn, count]) => `${turn} ${count}`).join(", ")}`;
}

function tellFindings({ counts, findings, turns }: Analysis, env: Environment, paint: Painter, limit: number): string {
  const shown = findings.slice(0, limit);
  const more = findings.length - shown.length;
  const proposed = findings.some((one) => one.proposed !== null);
  return [
    findings.length === 0 ? `${countsText(counts)}: nothing found that a rule could prevent` : countsText(counts),
    ...(findings.length === 0 || turns.length === 0 ? [] : [turnsText(turns)]),
    ...shown.flatMap((finding, index) => [
      ...(finding.finding.doubtful && shown[index - 1]?.finding.doubtful !== true ? [DOUBTFUL] : []),
      findingText(finding, index + 1, env, paint),
    ]),
    ...(more > 0 ? [`and ${more} more: \`--limit ${findings.length}\` shows them, \`--json\` too`] : []),
    ...(proposed ? ["nothing is written without a yes: `aot rules analyze --write NAME` keeps a rule"] : []),
  ].join("\n\n");
}

const DOUBTFUL =
  "doubtful: words that may be a correction or a question, for you to judge; no rule is proposed from them";

function findingJson({ finding, proposed, confidence }: AnalyzedFinding): object {
  const { kind, severity, tool, what, occurrences, quotes } = finding;
  return {
    name: proposed?.proposal.name ?? null,
    kind,
    severity,
    confidence,
    doubtful: finding.doubtful,
    tool,
    what,
    occurrences,
    quotes: quotes.map(({ text, at, call }) => ({ text, ...at, call })),
    rule: proposed === null ? null : ruleJson(proposed),
    replay: proposed === null ? null : replayJson(proposed),
  };
}

function ruleJson({ proposal, text }: NonNullable<AnalyzedFinding["proposed"]>): object {
  const { name, event, action, conditions, message } = proposal;
  const operator = "regex_match";
  return { name, event, action, conditions: conditions.map((one) => ({ ...one, operator })), message, text };
}

function replayJson({ replay, harmless }: NonNullable<AnalyzedFinding["proposed"]>): object {
  const examples = harmless.map(({ at, tool, text }) => ({ ...at, tool, text }));
  return { ...replay, examples };
}

function findingText(
  { finding, proposed, confidence }: AnalyzedFinding,
  number: number,
  env: Environment,
  paint: Painter,
): string {
  const { kind, severity, what, quotes, occurrences } = finding;
  const colour = severity === "high" ? "red" : severity === "medium" ? "yellow" : "dim";
  const name = proposed?.proposal.name ?? "(no rule)";
  return [
    `${number}. ${paint("bold", name)}  ${paint(colour, severity)}, ${kind}, ${times(occurrences)}, confidence ${confidence.toFixed(2)}`,
    `   ${what}`,
    ...quotes.map(({ text, at }) => `   "${text}"  ${paint("dim", placeText(at, env))}`),
    ...(proposed === null
      ? ["   no rule: it was about the moment, or no pattern separates such calls from good ones"]
      : proposalLines(proposed, env, paint)),
  ].join("\n");
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function proposalLines(
  { proposal, replay, harmless }: NonNullable<AnalyzedFinding["proposed"]>,
  env: Environment,
  paint: Painter,
): readonly string[] {
  const conditions = proposal.conditions.map(({ field, pattern }) => `${field} matches ${pattern}`).join("\n     and ");
  return [
    `   rule: on ${proposal.event}, ${proposal.action} where ${conditions}`,
    `   replay: catches ${replay.caught} of these, and ${replay.harmless} of the ${replay.tried - replay.caught} others, which nobody complained about`,
    ...harmless.map(({ at, tool, text }) => `     ${tool}: ${text}  ${paint("dim", placeText(at, env))}`),
  ];
}
