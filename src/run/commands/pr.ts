/** `aot pr`: title and body of a pull request, and its draft where the host's client is there (SPEC section 16). */
import { learn } from "../../adapters/store/journal-reader.ts";
import { readStateFile } from "../../adapters/store/state-file.ts";
import { findRepository, type Repository } from "../../adapters/workspace/repository.ts";
import { refused } from "../../core/problem.ts";
import { failure } from "../../command/problem-text.ts";
import type { Call } from "../../command/call.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { stateFileOf } from "../../command/state-file.ts";
import { VERSION } from "../../command/version.ts";
import { runGroup } from "../../host/process.ts";
import { createStory } from "../../history/run-story.ts";
import { journalOf } from "../../history/loop-log.ts";
import { projectOf } from "../../project/find-state-file.ts";
import { askYes, canAsk } from "../../terminal/ask-yes.ts";
import { printable } from "../../view/words.ts";
import { pullRequestOf, type PullRequest } from "../pull-request.ts";
import { makeReceipt } from "../receipt.ts";
import { readStatement } from "../statement.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  const read = await readStateFile(file.path);
  if (!read.ok) return failure(read.problems, file.shown);
  const receipt = await makeReceipt(file.path, VERSION);
  if (!receipt.ok) return failure(receipt.problems, file.shown);
  const sealed = readStatement(receipt.value);
  const found = await findRepository(projectOf(file.path));
  if (!found.ok) return failure(refused(found.problem.message, found.problem.hint).problems);
  const story = learn(journalOf(file.path), createStory());
  const request = pullRequestOf(read.value.state, story, sealed.ok ? sealed.value.seal : null);
  const text = `${request.title}\n\n${request.body}`;
  const host = await hostOf(found.value);
  if (host === null || !(await wanted(call, text, host)))
    return { exit: 0, json: { success: true, ...request, opened: null }, text: call.isSet("draft") ? "" : text };
  return await opened(call, found.value, host, request);
};

type Host = "gh" | "glab";

/** By the remote's address. Null: there is no remote. */
async function hostOf({ git }: Repository): Promise<Host | null> {
  const remote = await git.run(["remote", "get-url", "origin"]);
  if (!remote.ok) return null;
  return /gitlab/i.test(remote.stdout) ? "glab" : "gh";
}

/** A pull request is seen by others: a person says that it is to be opened. */
async function wanted(call: Call, text: string, host: Host): Promise<boolean> {
  if (call.isSet("draft")) return true;
  if (!(await canAsk(call))) return false;
  call.io.out(`${printable(text)}\n`);
  return await askYes(`Open it as a draft with ${host}?`);
}

const LONGEST_MS = 60_000;

async function opened(
  call: Call,
  { git, branch, root }: Repository,
  host: Host,
  request: PullRequest,
): Promise<Answer> {
  const head = (branch ?? "").replace("refs/heads/", "");
  const pushed = await git.run(["ls-remote", "--exit-code", "origin", `refs/heads/${head}`]);
  if (!pushed.ok || head === "")
    return failure(
      head === ""
        ? refused("you are on no branch", "check one out that holds the work").problems
        : refused(
            `the branch ${head} is not at the remote, and aot does not push`,
            `\`git push -u origin ${head}\`, then \`aot pr\` again`,
          ).problems,
    );
  const { title, body } = request;
  const args =
    host === "gh"
      ? ["pr", "create", "--draft", "--title", title, "--body", body, "--head", head]
      : ["mr", "create", "--draft", "--title", title, "--description", body, "--source-branch", head, "--yes"];
  const ran = await runGroup({ command: host, args, cwd: root, env: call.io.env, timeout_ms: LONGEST_MS });
  if (ran.exit_code === 0) {
    const address = /https?:\/\/\S+/.exec(ran.output)?.[0] ?? null;
    return {
      exit: 0,
      json: { success: true, ...request, opened: address },
      text: `draft: ${address ?? printable(ran.output)}`,
    };
  }
  const why = ran.start_error ?? printable(ran.output).trim();
  const hint = `\`aot pr --json\` has title and body; \`${host} auth status\` says whether you are logged in`;
  return failure(refused(`${host} did not open it: ${why}`, hint).problems);
}
