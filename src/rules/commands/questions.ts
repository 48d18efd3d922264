/** `aot rules add` by questions on a terminal. The pattern is tried before anything is written. */
import { isCancel, log, select, text } from "@clack/prompts";
import { ruleText, tryExamples, type NewRule } from "../edit.ts";
import { compilePattern } from "../match/pattern.ts";
import { RULE_EVENTS, type RuleAction, type RuleEvent } from "../match/rule.ts";
import { Cancelled } from "../../align/commands/align-questions.ts";

const ABOUT: Readonly<Record<RuleEvent, string>> = {
  bash: "a shell command",
  file: "the new text of a file that is written or edited",
  read: "the path of a file that is read",
  stop: "what an agent says last, before it stops",
  prompt: "what you ask for",
  all: "all of these",
};

/** @throws Cancelled */
export async function askRule({ rule, examples }: NewRule): Promise<NewRule> {
  const event = await choice<RuleEvent>(
    "What is it about?",
    RULE_EVENTS.map((value) => ({ value, label: value, hint: ABOUT[value] })),
    rule.event,
  );
  const name = await line("What is it called?", rule.name, (value) =>
    /^[\w.-]+$/.test(value) ? undefined : "letters, digits, - and _",
  );
  for (let pattern = rule.pattern; ;) {
    pattern = await line("Which text is it about (a regular expression)?", pattern, patternComplaint);
    const matches = await line("An example that it must match", examples.matches[0] ?? "", wanted);
    const passes = await line("An example that it must not match (empty: none)", examples.passes[0] ?? "");
    const tried = { matches: [matches], passes: passes === "" ? [] : [passes] };
    const draft = { ...rule, event, name, pattern, message: "x" };
    const written = ruleText(draft);
    const done = written.ok ? await tryExamples(written.value, tried) : written;
    if (!done.ok) {
      for (const { message, hint } of done.problems) log.warn(`${message}: ${hint ?? ""}`);
      continue;
    }
    const action = await choice<RuleAction>(
      "What does it do?",
      [
        { value: "warn", label: "warn" },
        { value: "block", label: "block" },
      ],
      rule.action,
    );
    const standing = await choice<"on" | "shadow">(
      "From when on?",
      [
        { value: "on", label: "now" },
        { value: "shadow", label: "in shadow first", hint: "it is recorded, not enforced" },
      ],
      rule.shadow ? "shadow" : "on",
    );
    const message = await line("The message: why, and what to do instead?", rule.message, wanted);
    return { rule: { ...draft, action, shadow: standing === "shadow", message }, examples: tried };
  }
}

type Complaint = string | undefined;

function wanted(value: string): Complaint {
  return value.trim() === "" ? "this is needed" : undefined;
}

function patternComplaint(value: string): Complaint {
  if (value === "") return "this is needed";
  const read = compilePattern(value);
  return "message" in read ? read.message : undefined;
}

async function line(message: string, initialValue: string, validate?: (value: string) => Complaint): Promise<string> {
  const answer = await text({ message, initialValue, validate: (value) => validate?.(value ?? "") });
  if (isCancel(answer)) throw new Cancelled();
  return answer ?? "";
}

interface Option<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

async function choice<T extends string>(message: string, options: readonly Option<T>[], initialValue: T): Promise<T> {
  const answer = await select<string>({ message, options: options.map((one) => ({ ...one })), initialValue });
  const chosen = options.find(({ value }) => value === answer);
  if (isCancel(answer) || chosen === undefined) throw new Cancelled();
  return chosen.value;
}
