/** What `completed` may rest on, from the command line (SPEC sections 6 and 9). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson, type RanJson } from "../support/aot.ts";
import { projectWith, type Project } from "./project.ts";

const AGENT = `
const quotes = [{ file: "made.txt", line: 1, text: "a nice text" }];
if (role === "judge") console.log(JSON.stringify({ passed: true, evidence: "it is nice", quotes }));
else {
  writeFileSync("made.txt", "a nice text");
  console.log(JSON.stringify({ success: true, summary: "made", artifacts: ["made.txt"] }));
}
`;
const project = (): Project => projectWith({ "judge.txt": "red\n" }, { agent: AGENT });

const CHECK = "command: node -e \"process.exit(require('fs').readFileSync('judge.txt','utf8') === 'green' ? 0 : 1)\"";
const statusOf = async (dir: string): Promise<unknown> =>
  (await aotJson(["state", "show"], { cwd: dir })).json["status"];

test("SPEC 6: set-status completed is refused on a protected file that changed, committed or not", async () => {
  const { dir, git } = project();
  const aligned = await aot(["align", "G", "--check", CHECK, "--protect", "judge.txt", "--yes"], { cwd: dir });
  expect(aligned).toMatchObject({ code: 0 });
  writeFileSync(join(dir, "judge.txt"), "green");
  const set = async (): Promise<RanJson> => await aotJson(["state", "set-status", "completed"], { cwd: dir });
  const refusal = {
    code: 1,
    json: {
      success: false,
      errors: [{ code: "refused", message: "protected files changed since the goal was aligned: judge.txt" }],
    },
  };
  expect(await set()).toMatchObject(refusal);
  git("commit", "-q", "-a", "-m", "weaker");
  expect(await set()).toMatchObject(refusal);
  expect(await statusOf(dir)).toBe("pending");
});

test("SPEC 6: a new protected file counts as a change; files that are not protected do not", async () => {
  const { dir } = project();
  const aligned = await aot(["align", "G", "--check", CHECK, "--protect", "tests/**", "--yes"], { cwd: dir });
  expect(aligned).toMatchObject({ code: 0 });
  writeFileSync(join(dir, "judge.txt"), "green");
  await aot(["atom", "update", "A1", "resolved"], { cwd: dir });
  expect(await aotJson(["state", "set-status", "completed"], { cwd: dir })).toMatchObject({ code: 0 });
  expect(await statusOf(dir)).toBe("completed");

  const other = project();
  await aot(["align", "G", "--check", CHECK, "--protect", "*.md", "--yes"], { cwd: other.dir });
  writeFileSync(join(other.dir, "judge.txt"), "green");
  writeFileSync(join(other.dir, "NEW.md"), "");
  expect(await aotJson(["state", "set-status", "completed"], { cwd: other.dir })).toMatchObject({ code: 1 });
});

test("SPEC 9: the step that a run names when a person has to decide leads on", async () => {
  const { dir, agent, git } = project();
  await aot(["align", "G", "--check", "file: made.txt", "--check", "assertion: it is nice", "--yes"], { cwd: dir });
  const halted = await aotJson(["run", "--agent", agent], { cwd: dir });
  expect(halted).toMatchObject({ code: 16, json: { outcome: "needs_confirmation" } });
  expect(halted.json["message"]).toContain("`aot run --accept assertions`");
  expect(halted.json["next_step"], "with the agent that this run was called with").toContain(
    `\`aot run --agent '${agent}' --accept assertions\``,
  );
  expect(readFileSync(join(dir, ".claude", "aot-loop-state.md"), "utf8")).toContain("outcome: needs_confirmation");
  const [, diff = ""] = /`git (diff \S+)`/.exec(String(halted.json["place"])) ?? [];
  expect(git(...diff.split(" ")), "how to look at the work is said").toContain("made.txt");
  expect(await aotJson(["run", "--agent", agent, "--accept=assertions"], { cwd: dir })).toMatchObject({
    code: 0,
    json: { outcome: "verified", merged: true },
  });
});
