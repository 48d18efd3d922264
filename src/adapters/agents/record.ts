import { readFileSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { accepted, refused, type Result } from "../../core/problem.ts";
import { makeFolder } from "../../host/make-folder.ts";
import { agentLabel } from "../../loop/agent-label.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { parseRecording, printCall, printHeader, type FileChange } from "./recording.ts";
import { changesSince, takeSnapshot } from "./snapshot.ts";

/** Only what these left in the folder is worth playing again. */
const WITH_CHANGES: ReadonlySet<AgentAnswer["kind"]> = new Set(["answer", "unreadable", "failed"] as const);

/**
 * Wraps an agent so that every call of it is recorded in `file` (SPEC section 10, `--record FILE`), for
 * `replay:<file>`. A recording that exists is continued; any other file is refused.
 * @param warn called once if a call could not be written down; the call is answered all the same
 */
export function createRecorder(agent: Agent, file: string, warn: (message: string) => void): Result<Agent> {
  const opened = open(agent, file);
  if (!opened.ok) return opened;
  // One line at a time, in the order in which calls end.
  let writing: Promise<void> = Promise.resolve();
  let failed = false;
  const write = (line: string): Promise<void> =>
    (writing = writing
      .then(() => (failed ? undefined : appendFile(file, line)))
      .catch((error: unknown) => {
        failed = true;
        warn(
          `the recording ${file} ends here, it could not be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }));
  return accepted({
    ...agent,
    async call(request, signal) {
      const began = performance.now();
      const before = request.role === "worker" ? await takeSnapshot(request.cwd) : undefined;
      const answer = await agent.call(request, signal);
      const duration_ms = Math.round(performance.now() - began);
      const changes =
        before === undefined || !WITH_CHANGES.has(answer.kind) ? [] : await changesSince(before, request.cwd);
      await write(lineOf(request, agent.name, answer, { duration_ms, changes }));
      return answer;
    },
    async close() {
      await agent.close();
      await writing;
    },
  });
}

function lineOf(
  request: AgentRequest,
  name: string,
  answer: AgentAnswer,
  { duration_ms, changes }: { readonly duration_ms: number; readonly changes: readonly FileChange[] },
): string {
  const { session: _, agent = name, ...reported } = answer as AgentAnswer & { readonly session?: string };
  const atom = request.atom === undefined ? {} : { atom: request.atom.id };
  return printCall({
    role: request.role,
    call: request.call,
    ...atom,
    agent: agentLabel(agent),
    answer: reported,
    duration_ms,
    changes,
  });
}

function open(agent: Agent, file: string): Result<null> {
  try {
    makeFolder(dirname(file));
    const text = existing(file);
    if (text === "") writeFileSync(file, printHeader(agent.name));
    else {
      const known = parseRecording(text, file);
      if (!known.ok) return known;
      // A crash may have left half a line.
      writeFileSync(file, text.slice(0, text.lastIndexOf("\n") + 1));
    }
    return accepted(null);
  } catch (error) {
    return refused(
      `cannot record to ${file}: ${error instanceof Error ? error.message : String(error)}`,
      "name a file that can be written",
    );
  }
}

function existing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}
