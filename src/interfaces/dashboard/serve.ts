/** `aot dashboard`: serves the page until Ctrl-C (SPEC section 10). */
import { randomBytes } from "node:crypto";
import { shownLoops } from "../../dashboard/loops.ts";
import { looks } from "../../history/follow.ts";
import { untilInterrupted } from "../../command/interrupt.ts";
import { failure } from "../../command/problem-text.ts";
import type { Answer, Run } from "../../command/spec.ts";
import { Unusable } from "../../command/unusable.ts";
import { pageFolder } from "./assets.ts";
import { openDashboard, type Dashboard } from "./server.ts";

export const run: Run = async (call) => {
  const { io } = call;
  if (call.json)
    throw new Unusable(
      "aot dashboard has no --json: it serves a page",
      "leave --json out; `aot status --json` prints the same",
    );
  const page = pageFolder();
  if (page === null)
    return refusal(
      "this copy of aot was built without the page",
      "start one that was built with it: `npm ci && npm install -g .` in a checkout, then `aot dashboard`",
    );
  const named = [...(call.stateFile === undefined ? [] : [call.stateFile]), ...call.texts("loop")];
  const loops = () => shownLoops(io.cwd, named);
  const readOnly = call.isSet("read-only");
  const token = (): string => randomBytes(24).toString("base64url");
  const tokens = { read: token(), ...(readOnly ? {} : { act: token() }) };
  const place = { cwd: io.cwd, env: io.env };
  let dashboard: Dashboard;
  try {
    dashboard = await openDashboard({ loops, tokens, page, port: call.number("port") ?? 0, place });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refusal(
      `the dashboard cannot listen on that port: ${why}`,
      "choose another one with --port, or leave it out",
    );
  }
  const address = `${dashboard.address}/#${tokens.act ?? tokens.read}`;
  io.out(`${address}\n`);
  io.err(`${wordsFor(loops().length, readOnly)}; Ctrl-C ends it\n`);
  await untilInterrupted(io, (signal) => until(signal, call.isSet("until-eof"), dashboard.watched));
  await dashboard.close();
  return { exit: 0, json: {}, text: "" };
};

function wordsFor(loops: number, readOnly: boolean): string {
  const what = loops === 1 ? "a loop" : `${loops} loops`;
  return `the dashboard shows ${what}${readOnly ? ", for looking on only" : ""}; open the address in a browser on this machine`;
}

/** How long after the last connection a page counts as closed: it may be reloading. */
const CLOSED_AFTER_MS = 5_000;
const POLL_EVERY_MS = 250;

/**
 * Waits for the end of serving.
 * @param eof end also when standard input has ended (the program that started this closed it) and no page is open
 */
async function until(signal: AbortSignal, eof: boolean, watched: () => boolean): Promise<void> {
  if (eof)
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
      process.stdin.once("end", resolve).once("error", resolve).resume();
    });
  let last = performance.now();
  for await (const _ of looks(signal, POLL_EVERY_MS)) {
    if (watched() || !eof) last = performance.now();
    if (performance.now() - last > CLOSED_AFTER_MS) return;
  }
}

function refusal(message: string, hint: string): Answer {
  return failure([{ code: "refused", message, hint }]);
}
