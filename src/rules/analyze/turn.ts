/**
 * What kind of turn a person's message is, as far as it matters here: most turns, refusals too, correct nothing (SPEC section 17).
 *
 * TURN-1 a question, an approval, an order of steps ("first the other one"), what the person does themselves, and a message
 *    sent again in other words are about the moment: none of them says that a call was not wanted.
 */
import type { Speech } from "./speech.ts";

export type TurnKind = "approval" | "question" | "step" | "repeat" | "task" | "statement";

/** What a turn is called where it is shown; the last three where it is a finding. */
export type Turn =
  | "task"
  | "answer"
  | "question"
  | "pasted"
  | "approval"
  | "refusal"
  | "correction"
  | "frustration"
  | "revert";

/** Characters of two messages that make the second one the first one again. */
const SAME = 24;
/** Characters. Who writes more gives an order, or pastes. */
const REMARK = 240;
const PRAISE = /^(?:great|perfect|nice|cool|awesome|thanks|thank you|works)\b(?!.*\b(?:but|however|except)\b)/u;
const POLITE = String.raw`(?:ok(?:ay)?|yes|yeah|yep|yup|sure|great|good|nice|cool|perfect|thanks|thank you|alright|please|sorry|lgtm|lol|and|then|now|so)`;
const APPROVAL = new RegExp(
  String.raw`^(?:${POLITE}[\s,.!:)-]*)*(?:(?:continue|keep going|go (?:on|ahead)|proceed|do it|carry on|resume|let'?s (?:go|continue|do it)|commit|push|ship|done|next)\b.{0,24})?$`,
  "u",
);
const STEP =
  /(?<!\b(?:the|at|a|my) )\bfirst\b|\bbefore (?:we|you|i|that|this|doing)\b|^(?:oh |ok |hmm )?(?:wait|hold on)\b(?! .*\b(?:wrong|not|why)\b)|\blet'?s (?:discuss|pause|talk|keep it)\b|\bnever ?mind\b|\bi(?:'ll| will| can|'m going to) (?:do|take|handle|run|fix|manually|let)\b|\bi(?:'ve| have)(?: just| already)? (?:done|fixed|updated|merged|reset|committed|pushed|added)\b/u;

/** @param last what the person said before; empty: nothing */
export function turnKindOf(text: string, { sentences }: Speech, last: string): TurnKind {
  if (last.length >= SAME && text.slice(0, SAME) === last.slice(0, SAME)) return "repeat";
  const worded = sentences.filter((sentence) => /\p{L}/u.test(sentence.text));
  const said = worded.map((sentence) => sentence.text).join(" ");
  if (APPROVAL.test(said)) return "approval";
  if (worded.every(({ question, text: own }) => question || /^(?:q|question)\b/u.test(own))) return "question";
  if (STEP.test(worded[0]?.text ?? "")) return "step";
  return text.length > REMARK || PRAISE.test(said) ? "task" : "statement";
}

/** Characters. Who pastes less says something about it. */
const PASTE = 400;
/** How an answer begins that says yes. */
const AGREEING =
  /^(?:yes|yeah|yep|ok(?:ay)?|sure|agreed|go ahead|proceed|do (?:it|both|all|that)|fix (?:it|both|all)|implement|post it|(?:it )?(?:is|works?|looks?|sounds?) (?:for me|good|great|fine|ok\w*)|i am happy|nothing to|да|はい)(?![\p{L}-])/u;
/** Of a text: less of a person's own words than this is a paste. */
const OWN = 0.4;

/**
 * What the turn is as long as nothing is found in it.
 * @param reply what the agent had said last; @param asked it wanted an answer
 */
export function turnOf(
  kind: TurnKind,
  { text, speech, reply }: { readonly text: string; readonly speech: Speech; readonly reply: string },
  { asked, refused }: { readonly asked: boolean; readonly refused: boolean },
): Turn {
  const own = speech.sentences.reduce((sum, { quote }) => sum + quote.length, 0);
  if (speech.sentences.length === 0 || /^\s*<\w/u.test(text)) return "pasted";
  if (text.length > PASTE && (own < text.length * OWN || /^\s*[#{[]/u.test(text))) return "pasted";
  if (!/\p{L}/u.test(text)) return asked ? "answer" : "task";
  if (kind === "approval") return !asked && /^(?:please )?(?:commit|push|ship)/iu.test(text) ? "task" : "approval";
  if (refused) return "refusal";
  const [first] = speech.sentences;
  if (kind === "question" || (first?.question === true && text.length <= PASTE)) return "question";
  if (asked && AGREEING.test(first?.text ?? "")) return "approval";
  const choice = /^\s*(\w)\s*$/u.exec(text)?.[1];
  if (choice !== undefined && new RegExp(`\\[${choice}\\]\\W{0,4}(?:continue|proceed|yes)`, "iu").test(reply))
    return "approval";
  return asked && text.length <= PASTE ? "answer" : "task";
}
