/** An aligned loop, and agents whose work its test can see and end. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aot } from "./aot.ts";
import { temporaryFolder } from "./bundle.ts";
import { pidsWritten } from "./pids.ts";

const RESULT = `console.log(JSON.stringify({success: true, summary: "made it", artifacts: []}));`;

/** An agent that makes what the base case wants. */
export const MAKING = `import { writeFileSync } from "node:fs"; writeFileSync("made.txt", ""); ${RESULT}`;

/** An agent that writes its pid outside the project and works until it is asked to go on. */
export function waitingAgent(signs: string): string {
  return `import { appendFileSync, existsSync, writeFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(join(signs, "started"))}, process.pid + "\\n");
    const look = () => {
      if (!existsSync(${JSON.stringify(join(signs, "go"))})) return setTimeout(look, 20);
      writeFileSync("made.txt", "");
      ${RESULT}
    };
    look();`;
}

export function pidsIn(signs: string): number[] {
  return pidsWritten(join(signs, "started"));
}

export function letGo(signs: string): void {
  appendFileSync(join(signs, "go"), "");
}

/** A folder with an aligned loop and an agent that runs this script. */
export async function loopWith(
  script: string,
  ...align: string[]
): Promise<{ readonly dir: string; readonly agent: string }> {
  const dir = temporaryFolder();
  writeFileSync(join(dir, "agent.mjs"), script);
  const ran = await aot(["align", "Make it", "--check", "file: made.txt", "--yes", ...align], { cwd: dir });
  if (ran.code !== 0) throw new Error(ran.err);
  return { dir, agent: `command:"${process.execPath}" agent.mjs` };
}
