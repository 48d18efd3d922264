/** `aot dashboard`: serves the page until Ctrl-C (SPEC section 10). */
import { randomBytes } from "node:crypto";
import { shownLoops, type ShownLoop } from "../../app/dashboard/dashboard-loops.ts";
import { interruptible } from "../../commands/interrupt.ts";
import { failure } from "../../commands/problem-text.ts";
import type { Answer, Run } from "../../commands/spec.ts";
import { Unusable } from "../../commands/unusable.ts";
import { pageFolder } from "./assets.ts";
import { openDashboard, type Dashboard } from "./server.ts";

export const run: Run = async (call) => {
  const { io } = call;
  if (call.json)
    throw new Unusable(
      "aot dashboard has no --json: it serves a page",
      "leave --json out; `aot status --json` tells the same",
    );
  const page = pageFolder();
  if (page === null)
    return refusal(
      "this copy of aot was built without the page",
      "start it from the package: `npx aot-loop dashboard`",
    );
  const named = [...(call.stateFile === undefined ? [] : [call.stateFile]), ...call.texts("loop")];
  const loops = (): readonly ShownLoop[] => shownLoops(io.cwd, named);
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
  await interruptible(io, (signal) => until(signal, call.isSet("until-eof")));
  await dashboard.close();
  return { exit: 0, json: {}, text: "" };
};

function wordsFor(loops: number, readOnly: boolean): string {
  const what = loops === 1 ? "a loop" : `${loops} loops`;
  return `the dashboard shows ${what}${readOnly ? ", for looking on only" : ""}; open the address in a browser on this machine`;
}

/** So that pages still see how the run ended that started this. Milliseconds. */
const LAST_LOOK_MS = 1_500;

/** @param eof ends soon after standard input, too: whoever started this holds its other end */
function until(signal: AbortSignal, eof: boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    const soon = (): void => void setTimeout(end, LAST_LOOK_MS);
    if (eof) process.stdin.once("end", soon).once("error", soon).resume();
  });
}

function refusal(message: string, hint: string): Answer {
  return failure([{ code: "refused", message, hint }]);
}
