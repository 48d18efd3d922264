/**
 * How another `aot` process talks to a live runner: files in a folder.
 *
 * REQUESTS-1 a request is carried out at most once: it is taken by a rename, and what a dead runner had taken is
 *    answered with an error, never carried out again;
 * REQUESTS-2 a request is either withdrawn or taken, never both: one of unlink and rename finds the file;
 * REQUESTS-3 requests are carried out one at a time, in the order of their names;
 * REQUESTS-4 what changes the goal is carried out for a sender that can be seen to have sent it (request-watch.ts).
 */
import { closeSync, existsSync, openSync } from "node:fs";
import { self } from "../../host/liveness.ts";
import { removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { errnoOf } from "../../host/write-failure.ts";
import { fileOf, newRequestName, readJson, replyIn, type Asked } from "./request-files.ts";

export { watchRequests } from "./request-watch.ts";
export type { RequestWatch } from "./request-watch.ts";

export interface SubmitOptions {
  /** How long to wait for the answer, in milliseconds. */
  readonly timeout_ms: number;
  /** Asked now and then: once nobody is there to answer, waiting ends at once. */
  readonly runnerAlive?: () => boolean;
}

export type RequestAnswer =
  | { readonly ok: true; readonly value: unknown }
  /**
   * `failed`: the runner said so; `withdrawn`: nobody took it, and nobody will; `unanswered`: it was
   * taken and may still be, or have been, carried out; `unwritable`: it could not be asked.
   */
  | {
      readonly ok: false;
      readonly code: "failed" | "withdrawn" | "unanswered" | "unwritable";
      readonly message: string;
      readonly hint: string;
    };

const ASK_EVERY_MS = 20;

/** Asks the runner that watches `dir`, and waits for its answer. Never rejects. @param body must survive JSON */
export async function submitRequest(dir: string, body: object, options: SubmitOptions): Promise<RequestAnswer> {
  const name = newRequestName();
  const asked: Asked = { from: self(), body };
  const written = writeOwnFile(fileOf(dir, name, "request"), JSON.stringify(asked));
  if (!written.ok) return { ok: false, code: "unwritable", message: written.message, hint: written.hint };
  const held = holdOpen(dir, name);
  try {
    return await answerTo(dir, name, options);
  } finally {
    if (held !== null) closeSync(held);
  }
}

/** The runner sees by it who asks (request-watch.ts). Null: it has been answered already. */
function holdOpen(dir: string, name: string): number | null {
  for (const stage of ["request", "taken"] as const) {
    try {
      return openSync(fileOf(dir, name, stage), "r");
    } catch (error) {
      errnoOf(error);
    }
  }
  return null;
}

async function answerTo(dir: string, name: string, options: SubmitOptions): Promise<RequestAnswer> {
  const end = performance.now() + options.timeout_ms;
  for (let looks = 1; ; looks++) {
    const answer = fetchAnswer(dir, name);
    if (answer !== null) return answer;
    const alone = looks % 10 === 0 && options.runnerAlive?.() === false;
    if (alone || performance.now() >= end)
      return giveUp(dir, name, alone ? "the runner is gone" : `no answer within ${options.timeout_ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

function fetchAnswer(dir: string, name: string): RequestAnswer | null {
  const path = fileOf(dir, name, "answer");
  if (!existsSync(path)) return null;
  const reply = replyIn(readJson(path));
  removeOwnFile(path);
  if (reply === null)
    return {
      ok: false,
      code: "unanswered",
      message: `the answer in ${path} could not be read`,
      hint: "look at aot status",
    };
  return reply.ok
    ? reply
    : { ok: false, code: "failed", message: reply.message, hint: "look at aot status and aot logs" };
}

/** REQUESTS-2. */
function giveUp(dir: string, name: string, why: string): RequestAnswer {
  if (removeOwnFile(fileOf(dir, name, "request"))) {
    return {
      ok: false,
      code: "withdrawn",
      message: `${why}; the request is withdrawn, nothing was done`,
      hint: "check with `aot status` whether a run is active, then ask again",
    };
  }
  const answer = fetchAnswer(dir, name);
  if (answer !== null) return answer;
  return {
    ok: false,
    code: "unanswered",
    message: `${why}; the runner had taken the request and may have carried it out`,
    hint: "look at aot status before asking again",
  };
}
