/** `--watch` where nobody looks at a terminal (SPEC section 10). Real processes and a real pipe. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { aotPath, cleanEnv, projectWith } from "../support/aot.ts";

const LIMIT_MS = 90_000;

test.skipIf(process.platform === "win32")(
  "SPEC 10: it ends once nobody reads its pipe any more, though nothing happens to the loop",
  () => {
    const { dir } = projectWith();
    const line = `"${process.execPath}" "${aotPath()}" status --watch | head -1`;
    const ran = spawnSync("sh", ["-c", line], { cwd: dir, env: cleanEnv(), encoding: "utf8", timeout: LIMIT_MS });
    expect(ran).toMatchObject({ status: 0, signal: null, stderr: "" });
    expect(ran.stdout).toContain("Log in with a token");
  },
  2 * LIMIT_MS,
);
