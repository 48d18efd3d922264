import type { Deciders } from "../verify-loop.ts";
import { checkNodesOf, runsCommand, type ChecklistVerdict } from "../../core/verdict.ts";
import { luckWords } from "../../view/standing.ts";
import type { Call } from "../../command/call.ts";
import { plain, type Painter } from "../../terminal/paint.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import { Unusable } from "../../command/unusable.ts";
import { verdictLines } from "../../terminal/verdict-text.ts";

/** `--scores`, `--judge`, `--confirm`. */
export function decidersOf(call: Call): Deciders {
  const file = call.text("scores");
  const judge = call.text("judge");
  if (file !== undefined && judge !== undefined)
    throw new Unusable(
      "--scores and --judge exclude each other",
      "give the judge's words as a file, or name who judges",
    );
  return {
    confirm: call.isSet("confirm"),
    ...(file === undefined ? {} : { scores: readTextFile(call.io, file) }),
    ...(judge === undefined ? {} : { judge }),
  };
}

/** A verdict with its evidence, and for one that is not true what can be done about it. */
export function verdictText(verdict: ChecklistVerdict, paint: Painter = plain): string {
  return [...verdictLines(verdict, paint), "", ...conclusion(verdict)].join("\n");
}

function conclusion(verdict: ChecklistVerdict): string[] {
  if (verdict.passed === false) return ["not verified: the base case failed"];
  if (verdict.passed === null)
    return [
      `not decided: ${verdict.skipped.join(", ")}`,
      "  decide it with --judge AGENT, with --scores FILE, or confirm an assertion yourself: --confirm",
    ];
  if (verdict.requires_user_confirmation)
    return ["passed; assertions still need your confirmation: look at them, then say --confirm"];
  const commands = checkNodesOf(verdict.checklist).some(({ check }) => runsCommand(check));
  const once = commands ? "; each check was run once, so that nothing bounds luck" : "";
  return [`verified: the base case holds${verdict.luck === undefined ? once : `; ${luckWords(verdict) ?? ""}`}`];
}
