/** Several changes as one transaction, as YAML (SPEC section 8): in the person's editor, where nothing typed is lost, or from a file. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runnerOf } from "../../adapters/store/run-lock.ts";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { required, type Call } from "../../command/call.ts";
import { failure, problemJson, problemText } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { readTextFile } from "../../command/read-text-file.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { Unusable } from "../../command/unusable.ts";
import type { Result } from "../../core/problem.ts";
import type { Transaction } from "../../core/redirect.ts";
import { self } from "../../host/liveness.ts";
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
import { askRunner } from "../../project/ask-runner.ts";
import { askYes } from "../../terminal/ask-yes.ts";
import { withAllowed } from "../map-checks.ts";
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

/** `aot redirect allow-changed` (SPEC section 6). */
export const redirectAllowing =
  (hands: Hands): Run =>
  async (call) => {
    const file = stateFileOf(call);
    const read = await readStateFile(file.path);
    if (!read.ok) return failure(read.problems, file.shown);
    const value = withAllowed(read.value.state.objective.base_case, required(call.arg("glob"), "glob"));
    const allowing = { kind: "set", field: "base_case", value, reason: call.text("reason") ?? "" } as const;
    return await settleRedirect(call, allowing, hands);
  };

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

/** A run that is being redirected answers when that is done. Milliseconds. */
const ANSWER_MS = 5_000;

/** Nothing new starts, what is under way goes on. `note`: what to tell the person; null: nobody works the loop. Whoever dies without `release` releases the run as well. */
async function holdRun(stateFile: string): Promise<{ readonly note: string | null; release(): Promise<void> }> {
  const release = async (): Promise<void> => {
    if (runnerOf(stateFile) !== null) await askRunner(stateFile, { kind: "release", by: self() }, ANSWER_MS);
  };
  if (runnerOf(stateFile) === null) return { note: null, release };
  const answer = await askRunner(stateFile, { kind: "hold", by: self() }, ANSWER_MS);
  if (answer.kind === "answered") return { note: answer.message, release };
  const why = answer.kind === "refused" ? answer.problems.map(({ message }) => message).join("; ") : answer.message;
  return { note: `the run could not be held, it goes on while you edit: ${why}`, release };
}

/** `aot redirect --from FILE`. */
export const redirectFrom =
  (hands: Hands): Run =>
  async (call) => {
    const name = call.text("from");
    if (name === undefined)
      throw new Unusable(
        "say what to change",
        "`aot redirect edit`, --from FILE, or one change: `aot redirect --help`",
      );
    const wanted = readDocument(readTextFile(call.io, name));
    if (!wanted.ok) return failure(wanted.problems, name);
    const file = stateFileOf(call);
    const read = await readStateFile(file.path);
    if (!read.ok) return failure(read.problems, file.shown);
    const made = transactionFor(wanted.value, documentOf(read.value.state), "kept");
    if (!made.ok) return failure(made.problems, name);
    const { reason } = made.value;
    return await settleRedirect(call, { ...made.value, reason: call.text("reason") ?? reason }, hands);
  };
