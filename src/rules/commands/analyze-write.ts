/** Which of the proposed rules are kept: those that are named, or chosen on a terminal. None without a person's yes. */
import { wantedRule, type AnalyzedFinding } from "../analyze.ts";
import { ruleText, writeNewRule } from "../edit.ts";
import { ruleFolders, type RuleFolder } from "../place.ts";
import { nearest } from "../../core/nearest.ts";
import { accepted, refused, type Result } from "../../core/problem.ts";
import type { Proposal } from "../analyze/proposal.ts";
import type { Call } from "../../command/call.ts";
import { Unusable } from "../../command/unusable.ts";

export interface WrittenRules {
  /** The person was shown the findings already. */
  readonly asked: boolean;
  readonly files: readonly { readonly name: string; readonly file: string }[];
}

/** @param reported the findings as a person reads them */
export async function writeChosen(
  call: Call,
  findings: readonly AnalyzedFinding[],
  reported: string,
): Promise<Result<WrittenRules>> {
  const proposals = findings.flatMap(({ proposed }) => (proposed === null ? [] : [proposed.proposal]));
  const named = namedProposals(call.texts("write"), proposals);
  if (!named.ok) return named;
  const asking = !call.json && (await call.io.isTerminal(0)) && (await call.io.isTerminal(1));
  if (call.isSet("yes")) return written(call, named.value, false);
  if (asking && proposals.length > 0) {
    call.io.out(`${reported}\n\n`);
    return written(call, await chosen(named.value, proposals), true);
  }
  if (named.value.length > 0)
    throw new Unusable("nothing is written without a yes", "say it with --yes, or answer on a terminal");
  return accepted({ asked: false, files: [] });
}

function namedProposals(names: readonly string[], proposals: readonly Proposal[]): Result<readonly Proposal[]> {
  const found: Proposal[] = [];
  for (const name of names) {
    const proposal = proposals.find((one) => one.name === name);
    if (proposal === undefined)
      return refused(
        `no rule ${JSON.stringify(name)} is proposed`,
        nearest(
          name,
          proposals.map((one) => one.name),
        ),
      );
    found.push(proposal);
  }
  return accepted(found);
}

/** What the person takes; nothing where the questions were left. */
async function chosen(named: readonly Proposal[], all: readonly Proposal[]): Promise<readonly Proposal[]> {
  const { isCancel, multiselect } = await import("@clack/prompts");
  const { Cancelled, askYes, tellCancelled } = await import("../../align/commands/align-questions.ts");
  try {
    const taken: Proposal[] = [];
    for (const proposal of named) if (await askYes(`Write the rule ${proposal.name}?`)) taken.push(proposal);
    if (named.length > 0) return taken;
    const answer = await multiselect({
      message: "Which of these rules are written? (none: leave all out)",
      options: all.map((proposal) => ({ value: proposal.name, label: proposal.name, hint: proposal.action })),
      required: false,
    });
    if (isCancel(answer)) throw new Cancelled();
    return all.filter(({ name }) => answer.includes(name));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    tellCancelled();
    return [];
  }
}

function written(call: Call, proposals: readonly Proposal[], asked: boolean): Result<WrittenRules> {
  const folder: RuleFolder | undefined = ruleFolders(call.io.cwd, call.io.env)[0];
  const files: { name: string; file: string }[] = [];
  for (const proposal of proposals) {
    const text = ruleText(wantedRule(proposal, call.isSet("shadow")));
    if (!text.ok) return text;
    if (folder === undefined) return refused("there is no folder for rules here", "go to the project's folder");
    const kept = writeNewRule(folder, proposal.name, text.value, call.isSet("force"));
    if (!kept.ok) return kept;
    files.push({ name: proposal.name, file: kept.value });
  }
  return accepted({ asked, files });
}
