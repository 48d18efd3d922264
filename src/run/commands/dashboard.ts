/**
 * `aot run --dashboard`, and of phase runs: the page beside the run (SPEC section 10).
 *
 * DASHBOARD-1 it is a process of its own, which reads what the run writes: who watches does not slow the run, and a
 *    page that breaks does not break it;
 * DASHBOARD-2 it ends after the run, however that ends (its standard input does), once no page is open any more.
 */
import { spawn } from "node:child_process";
import type { Call } from "../../command/call.ts";
import type { NamedFile } from "../../command/state-file.ts";

/** @param say tells the address, or why there is none */
export function dashboardBeside({ io }: Call, file: NamedFile, say: (text: string) => void): { close(): void } {
  const [script = ""] = process.argv.slice(1);
  const words = [...process.execArgv, script, "dashboard", "--state-file", file.path, "--until-eof"];
  const child = spawn(process.execPath, words, {
    cwd: io.cwd,
    env: { ...io.env },
    stdio: ["pipe", "pipe", "pipe"],
    // A Ctrl-C that ends the run softly leaves it there until the run is over.
    detached: true,
    windowsHide: true,
  });
  let printed = "";
  let reported = false;
  const tell = (text: string): void => {
    if (!reported) say(text);
    reported = true;
  };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-2_000);
      const address = /http:\/\/\S+/.exec(printed)?.[0];
      if (address !== undefined) tell(`dashboard: ${address}`);
    });
  child.on("error", (error) => tell(`the dashboard could not be started: ${error.message}`));
  child.on("exit", () => tell(`the dashboard could not be started: ${printed.trim()}`));
  child.stdin.on("error", () => undefined);
  child.unref();
  return {
    close: () => {
      reported = true;
      child.stdin.end();
    },
  };
}
