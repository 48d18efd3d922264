/**
 * Guard rules in a client's session (SPEC section 12): what an event's rules say, in the form that the client takes.
 *
 * RULES-1 a rule that blocks is never let pass because something went wrong here;
 * RULES-2 a rule that only warns never keeps an action from happening;
 * RULES-3 a stop that a hook has prevented already is let go;
 * RULES-4 what a rule has reported before a tool's call is not reported again after it.
 */
import type { HookReply } from "./reply.ts";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { caughtText, recordFirings, type FiredAs } from "../../rules/fired.ts";
import { loadCandidates, loadRules } from "../../rules/load.ts";
import type { RuleFile } from "../../rules/file.ts";
import type { RuleFolder } from "../../rules/place.ts";
import { judgeAction, type RuleVerdict } from "../../rules/verdict.ts";
import { isFor } from "../../rules/match/match.ts";
import { promptSubject, stopSubject, toolSubject, type Subject } from "../../rules/match/subject.ts";
import type { HookInput } from "./hook-input.ts";
import { weakClientWarning } from "./weak-client.ts";
import { lastWordsIn, readTranscript } from "./transcript.ts";

export interface RulesReply extends HookReply {
  /** The action does not happen: nobody else need look at it. */
  readonly blocked: boolean;
}

const NOTHING: RulesReply = { blocked: false };

/** Whether rules hold for a worker of `aot run`, whose prompt is the loop's and whose session no person starts. */
export function concernsWorkers({ event }: HookInput): boolean {
  return event !== "UserPromptSubmit" && event !== "SessionStart";
}

/** @param folders whose rules hold, the project's first */
export async function answerRules(
  input: HookInput,
  folders: readonly RuleFolder[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<RulesReply> {
  try {
    if (input.event === "SessionStart") return atStart(await loadRules(folders), weakClientWarning(input, env));
    const replied = await answer(input, folders);
    return replied === NOTHING && input.event === "Stop" ? await audited(input) : replied;
  } catch (error) {
    const note = `guard rules could not be tried: ${error instanceof Error ? error.message : String(error)}`;
    // RULES-1: a rule that blocks may be among those that were not read.
    return input.event === "PreToolUse" || input.event === "UserPromptSubmit"
      ? { json: refused(input.event, note), note, blocked: true }
      : { note, blocked: false };
  }
}

async function answer(input: HookInput, folders: readonly RuleFolder[]): Promise<RulesReply> {
  const subject = subjectOf(input);
  if (subject === null) return NOTHING;
  const files = loadCandidates(folders, subject) ?? (await loadRules(folders));
  if (files.length === 0) return NOTHING;
  const verdict = await judge(files, subject, input);
  const released = input.event === "Stop" && input.stopHookActive;
  // PermissionRequest follows the same call's PreToolUse, which has recorded them.
  for (const owner of input.event === "PermissionRequest" ? [] : folders) {
    const own = verdict.fired.filter(({ file }) => dirname(file.path) === owner.dir);
    recordFirings(
      owner,
      own.map(({ rule, as }) => ({
        time: new Date().toISOString(),
        rule: rule.name,
        as: released && as === "blocked" ? ("let_go" satisfies FiredAs) : as,
        event: subject.event,
        ...(subject.tool === "" ? {} : { tool: subject.tool }),
        session: input.session,
        what: caughtText(subject),
        ...(input.call === "" ? {} : { call: input.call }),
      })),
    );
  }
  return reply(input, verdict, released);
}

/** Warns of what an agent claims at its stop without a tool call of its own that backs it; it stops all the same. */
async function audited({ transcript, lastMessage, agent, stopHookActive }: HookInput): Promise<RulesReply> {
  if (agent !== null || stopHookActive || transcript === null || !existsSync(transcript)) return NOTHING;
  const { auditEnd, unbackedText } = await import("../../rules/audit.ts");
  const found = auditEnd(transcript, lastMessage);
  if (found.length === 0) return NOTHING;
  const lines = found.map((one) => unbackedText(one, ({ file, line }) => `${file}:${line}`));
  return { json: { systemMessage: `Not backed by its own tools:\n${lines.join("\n")}` }, blocked: false };
}

/** What this event is about; null: no rule is for it. */
function subjectOf(input: HookInput): Subject | null {
  switch (input.event) {
    case "PreToolUse":
    case "PermissionRequest":
      return toolSubject(input.tool, input.toolInput);
    case "PostToolUse":
    case "PostToolUseFailure":
      return toolSubject(input.tool, input.toolInput, input.response ?? "");
    case "UserPromptSubmit":
      return promptSubject(input.prompt);
    case "Stop": {
      if (input.agent !== null) return null;
      const transcript = (): string | null => readTranscript(input.transcript);
      const said =
        input.lastMessage || input.reason || (input.lastMessageReported ? "" : lastWordsIn(transcript() ?? ""));
      return stopSubject(said, transcript);
    }
    default:
      return null;
  }
}

function isOver({ event }: HookInput): boolean {
  return event === "PostToolUse" || event === "PostToolUseFailure";
}

/** If the rules cannot be tried, those that block and are for this action block it (RULES-1). */
async function judge(files: readonly RuleFile[], subject: Subject, input: HookInput): Promise<RuleVerdict> {
  try {
    return await judgeAction(files, subject, isOver(input) ? "after" : "before");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const blocking = files.filter(({ rule }) => rule?.enabled === true && rule.action === "block" && !rule.shadow);
    const names = blocking.flatMap(({ rule }) => (rule !== null && isFor(rule, subject) ? [rule.name] : []));
    const why = `guard rules could not be tried: ${message}`;
    if (names.length === 0) return { block: null, warning: why, fired: [] };
    return {
      block: `**[${names.join(", ")}]**\n${why}. Tell the user; \`aot rules list\` shows the rules.`,
      warning: null,
      fired: [],
    };
  }
}

function reply(input: HookInput, { block, warning }: RuleVerdict, released: boolean): RulesReply {
  if (block === null && warning === null) return NOTHING;
  const text = [block, warning].filter((part) => part !== null).join("\n\n");
  const { event } = input;
  if (block === null) return event === "PermissionRequest" ? NOTHING : { json: warned(event, text), blocked: false };
  // RULES-3
  if (released)
    return {
      json: { systemMessage: `${text}\n\n(The stop was prevented once already, so that it is let go.)` },
      blocked: false,
    };
  return { json: refused(event, text), blocked: true };
}

/** The user reads the message, and the model where the client has a way to tell it. */
function warned(event: string, text: string): object {
  if (event === "Stop") return { systemMessage: text };
  return { systemMessage: text, hookSpecificOutput: { hookEventName: event, additionalContext: text } };
}

function refused(event: string, text: string): object {
  if (event === "PreToolUse") {
    const hookSpecificOutput = { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: text };
    return { hookSpecificOutput, systemMessage: text };
  }
  if (event === "PermissionRequest") {
    const decision = { behavior: "deny", message: text };
    return { hookSpecificOutput: { hookEventName: event, decision } };
  }
  // What failed cannot be refused any more, and the client takes no decision about it.
  if (event === "PostToolUseFailure") return warned(event, text);
  return { decision: "block", reason: text, systemMessage: text };
}

/** What a person should know of the rules. @param weak why those that block may not hold; null: they do */
function atStart(files: readonly RuleFile[], weak: string | null): RulesReply {
  const said = (
    which: readonly RuleFile[],
    heading: string,
    of: "problems" | "warnings" = "problems",
  ): readonly string[] => {
    const lines = which.flatMap(({ path, [of]: told }) =>
      told.map(({ message, at }) => `${path}${at === undefined ? "" : `:${at.line}`}: ${message}`),
    );
    return lines.length === 0 ? [] : [`${heading} (\`aot rules list\` says more):\n${lines.join("\n")}`];
  };
  const isSkipped = ({ rule }: RuleFile): boolean => rule === null;
  const isBlocking = files.some(({ rule }) => rule?.enabled === true && rule.action === "block" && !rule.shadow);
  const texts = [
    ...(weak !== null && isBlocking ? [weak] : []),
    ...said(
      files.filter((file) => !isSkipped(file)),
      "Guard rules that cannot be read, so that all that they might forbid is denied until they can be",
    ),
    ...said(files.filter(isSkipped), "Guard rules that do not hold, because their files are not valid"),
    ...said(files, "Guard rules that are perhaps not as they were meant", "warnings"),
  ];
  return texts.length === 0 ? NOTHING : { json: { systemMessage: texts.join("\n\n") }, blocked: false };
}
