/** What a check answered at the alignment is held against what it answers later (SPEC section 6). */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";

test("SPEC 6, 9: red at the alignment and green on the same tree is exit 19, beside files that git does not know", async () => {
  const dir = temporaryFolder();
  const beside = temporaryFolder();
  const check = join(beside, "check.cjs");
  const agent = join(beside, "agent.mjs");
  const first = `const fs = require("node:fs"); const f = ${JSON.stringify(join(beside, "seen"))};`;
  // Red in the project's folder and in a fresh place, which is all that an alignment without a bound looks at.
  writeFileSync(check, `${first} fs.appendFileSync(f, "."); process.exit(fs.statSync(f).size > 2 ? 0 : 1);`);
  writeFileSync(agent, `console.log(JSON.stringify({ success: true, summary: "nothing", artifacts: [] }));`);
  writeFileSync(join(dir, "a.txt"), "a\n");
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "init"],
  ])
    spawnSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: dir });
  writeFileSync(join(dir, "untracked.txt"), "mine\n");
  const node = `"${process.execPath}"`;
  const align = ["align", "G", "--check", `command: ${node} "${check}"`, "--yes"];
  expect(await aotJson(align, { cwd: dir }), "run again, it is seen to be flaky").toMatchObject({ code: 1 });
  rmSync(join(beside, "seen"));
  expect(await aotJson([...align, "--trust", "0"], { cwd: dir })).toMatchObject({ code: 0 });
  const ran = await aotJson(["run", "--agent", `command:${node} "${agent}"`, "--max-iterations", "1"], { cwd: dir });
  expect(ran).toMatchObject({ code: 19, json: { outcome: "flaky_check" } });
  expect(ran.json["message"]).toMatch(/answers both ways on the same tree [0-9a-f]{10}: failed \(exit code 1\)/);
});
