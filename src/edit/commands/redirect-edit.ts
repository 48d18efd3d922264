/** `aot redirect edit`: what can be changed of a loop as YAML in the person's editor (SPEC section 8). Nothing typed is lost. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readStateFile } from "../../adapters/store/state-file.ts";
import type { Call } from "../../command/call.ts";
import { failure, problemJson, problemText } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import type { Result } from "../../core/problem.ts";
import type { Transaction } from "../../core/redirect.ts";
import { loopPaths } from "../../host/loop-paths.ts";
import { targetOf } from "../../host/atomic-write.ts";
import {
  documentOf,
  documentText,
  readDocument,
  transactionFor,
  type RedirectDocument,
} from "../../statefile/redirect-document.ts";
import { agentRefusal } from "../../project/agent-restrictions.ts";
import { askYes } from "../../terminal/ask-yes.ts";
import { holdRun } from "../hold-run.ts";
import { settleRedirect, type Hands } from "./settle-redirect.ts";

const HEAD = `# Change what should be different, save and leave; leave it as it is to change nothing.
# A field that you delete stays as it is. An atom that you delete is removed, one with a new id is added.
# redo: [A1] has resolved atoms done again; choose: [{group, atom}] and rebind: [{id, summary, artifacts}] as the commands do.
reason: ""
`;

export const redirectEdit =
  (hands: Hands): Run =>
  async (call) => {
    const editor = call.io.env["VISUAL"] || call.io.env["EDITOR"];
    if (editor === undefined || editor === "")
      throw new Unusable("neither $VISUAL nor $EDITOR names an editor", "set one, or use `aot redirect --from FILE`");
    const file = stateFileOf(call);
    const agent = agentRefusal(file.path);
    if (agent !== null) return failure(agent.problems);
    const hold = await holdRun(file.path);
    if (hold.note !== null) call.io.err(`${hold.note}\n`);
    try {
      return await edit(call, editor, hands);
    } finally {
      await hold.release();
    }
  };

async function edit(call: Call, editor: string, hands: Hands): Promise<Answer> {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const shown = documentOf(read.value.state);
  const draft = join(dirname(loopPaths(targetOf(file.path)).journal), "redirect.yaml");
  mkdirSync(dirname(draft), { recursive: true });
  writeFileSync(draft, `${HEAD}${documentText(shown)}`);
  const edited = await editUntilItFits(call, editor, draft, shown);
  if (edited === null) return unchanged(draft);
  const request = { ...edited, reason: call.text("reason") ?? edited.reason };
  const answer = await settleRedirect(call, request, hands, true);
  if (answer.exit === 0) rmSync(draft, { force: true });
  return answer.exit === 0 ? answer : { ...answer, notes: [...(answer.notes ?? []), `what you wrote is in ${draft}`] };
}

function unchanged(draft: string): Answer {
  rmSync(draft, { force: true });
  return { exit: 1, json: { success: false }, text: "", trouble: "nothing was changed" };
}

/** Null: it was left as it was. @throws Unusable where the editor fails, or the person gives up a text that does not fit */
async function editUntilItFits(
  call: Call,
  editor: string,
  draft: string,
  shown: RedirectDocument,
): Promise<Transaction | null> {
  for (;;) {
    const ran = spawnSync(editor, [`"${draft}"`], { shell: true, stdio: "inherit", cwd: call.io.cwd });
    if (ran.status !== 0)
      throw new Unusable(
        `the editor \`${editor}\` ended with ${ran.status ?? ran.signal ?? "an error"}`,
        keptIn(draft),
      );
    const made = readEdited(readFileSync(draft, "utf8"), shown);
    if (made.ok) return made.value.changes.length === 0 ? null : made.value;
    call.io.err(`${made.problems.map((problem) => problemText(problemJson(problem, draft))).join("\n")}\n`);
    if (!(await call.io.isTerminal(0)) || !(await askYes("Edit it once more?")))
      throw new Unusable("what you wrote does not fit", keptIn(draft));
  }
}

function keptIn(draft: string): string {
  return `it is kept in ${draft}: repair it, then \`aot redirect --from ${draft}\``;
}

function readEdited(text: string, shown: RedirectDocument): Result<Transaction> {
  const wanted = readDocument(text);
  if (!wanted.ok) return wanted;
  return transactionFor(wanted.value, shown, "removed");
}
