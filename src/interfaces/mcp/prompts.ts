/** The four commands of the loop as prompts (SPEC section 10): short orders that name the tools to use. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { nearest as suggestion } from "../../core/nearest.ts";
import type { Complaint } from "../../command/values.ts";

interface Order {
  readonly prompt: Prompt;
  write(given: (name: string) => string): string;
}

const ORDERS: readonly Order[] = [
  {
    prompt: {
      name: "align-goal",
      title: "Align a goal",
      description: "Settle with the user what done means and how a machine can see it, then write the loop.",
      arguments: [{ name: "goal", description: "The purpose in a sentence.", required: false }],
    },
    write: (given) =>
      lines(
        given("goal") === "" ? "Align a goal for an AoT loop with me." : `Align this goal with me: ${given("goal")}`,
        "1. Ask me what is not clear: why it is wanted, what is handed over, how a machine can see that it is reached. Look at the project for commands that can decide it.",
        "2. Propose checks that fail now and pass when the goal is reached, and the smallest set of atoms that leads there, with their dependencies.",
        "3. When I agree, call aot_align once with goal, check, atom, background, deliverables and done. If it refuses a check because it already passes, sharpen it with me; do not force it.",
        "Do not begin with the work itself.",
      ),
  },
  {
    prompt: {
      name: "enter-recursion",
      title: "Enter the loop",
      description: "Check the gate, show the worst case, and start the loop.",
      arguments: [{ name: "agent", description: "Who works: claude, or command:SHELL_COMMAND.", required: false }],
    },
    write: (given) => {
      const agent = given("agent") === "" ? "" : `agent ${JSON.stringify(given("agent"))}, `;
      return lines(
        "Start the AoT loop.",
        `1. Call aot_run with ${agent}plan true. If it is refused tell me what is missing, and stop here; else tell me the worst case in a sentence: calls, time, cost.`,
        `2. When I agree, call aot_run again without plan${agent === "" ? "" : ", with the same agent"}. It goes on by itself: look at it with aot_status when I ask, and never work its atoms yourself meanwhile.`,
        "Call the goal reached only when aot_status says completed.",
      );
    },
  },
  {
    prompt: {
      name: "exit-recursion",
      title: "Stop the loop",
      description: "Ask the loop to stop, with its state kept.",
      arguments: [{ name: "reason", description: "Why.", required: false }],
    },
    write: (given) =>
      lines(
        given("reason") === ""
          ? "Stop the AoT loop: call aot_stop."
          : `Stop the AoT loop: call aot_stop with reason ${JSON.stringify(given("reason"))}.`,
        "Then call aot_status, and tell me what is resolved, what is left, and how to go on later.",
      ),
  },
  {
    prompt: {
      name: "redirect",
      title: "Redirect the loop",
      description: "Change the course of the loop, running or stopped.",
      arguments: [{ name: "change", description: "What is to be different, in your words.", required: true }],
    },
    write: (given) =>
      lines(
        `Redirect the AoT loop: ${given("change")}`,
        "1. Call aot_status to see its state.",
        "2. Choose the smallest redirect that does it, a tool of aot_more: aot_redirect_set (objective), aot_redirect_limit (fuel), aot_redirect_add or aot_redirect_remove (atoms), aot_redirect_choose (an alternative), aot_redirect_rebind (a result). Several at once: aot_redirect. Say which and what is lost by it, and wait for my yes.",
        "3. Call it with a reason in my words, and tell me what it answered.",
      ),
  },
];

/** Claude Code 2.1.329 splits what is behind such a command at blanks: of one argument it passes on the first word. */
const CUT = "If more words follow this command than you see here, all of them count.";

export const PROMPTS: readonly Prompt[] = ORDERS.map((order) => order.prompt);

export type Written =
  | { readonly ok: true; readonly prompt: GetPromptResult }
  | { readonly ok: false; readonly complaint: Complaint };

/** @param given the prompt's arguments as they came */
export function writtenPrompt(name: string, given: Readonly<Record<string, string>>): Written {
  const names = PROMPTS.map((prompt) => prompt.name);
  const order = ORDERS.find(({ prompt }) => prompt.name === name);
  if (order === undefined)
    return no(`there is no prompt ${name}`, suggestion(name, names, `one of ${names.join(", ")}`));
  const { description, arguments: args = [] } = order.prompt;
  const known = args.map((arg) => arg.name);
  const stranger = Object.keys(given).find((key) => !known.includes(key));
  if (stranger !== undefined)
    return no(`${name} has no argument ${stranger}`, suggestion(stranger, known, `it takes ${known.join(", ")}`));
  const lacking = args.find((arg) => arg.required === true && (given[arg.name] ?? "").trim() === "");
  if (lacking !== undefined) return no(`${lacking.name} is missing`, lacking.description ?? "");
  const texts = Object.values(given).map((text) => text.trim());
  const cut = texts.some((text) => text !== "" && !/\s/.test(text));
  const text = order.write((key) => (given[key] ?? "").trim()) + (cut ? `\n${CUT}` : "");
  return {
    ok: true,
    prompt: {
      ...(description === undefined ? {} : { description }),
      messages: [{ role: "user", content: { type: "text", text } }],
    },
  };
}

function no(message: string, hint: string): Written {
  return { ok: false, complaint: { message, hint } };
}

function lines(...texts: readonly string[]): string {
  return texts.join("\n");
}
