/** `aot confirm` and `aot reject` (SPEC sections 6, 8 and 10). */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aot, aotJson, aotPath } from "../../support/aot.ts";
import { eventually, temporaryFolder } from "../../support/bundle.ts";
import { onTerminal, whyNoTerminal } from "../../support/terminal.ts";

/** A loop that waits for a person's word on "Reads well", its agent, and the prompts that the agent got. */
async function waiting(): Promise<{ dir: string; run: () => ReturnType<typeof aot>; prompts: () => string }> {
  const dir = temporaryFolder();
  const git = (...words: string[]) => execFileSync("git", words, { cwd: dir });
  git("init", "--quiet");
  git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "--allow-empty", "--message", "nothing yet");
  const seen = join(temporaryFolder(), "prompts");
  const agent = join(temporaryFolder(), "agent.mjs");
  writeFileSync(
    agent,
    `import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
const { role, prompt } = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(${JSON.stringify(seen)}, "### " + role + "\\n" + prompt + "\\n");
if (role === "judge") console.log(JSON.stringify({ passed: true, evidence: "it does", quotes: [{ file: "made.txt", line: 1, text: "made" }] }));
else { writeFileSync("made.txt", "made" + (prompt.includes("it explains nothing") ? ", because" : "") + "\\n"); console.log(JSON.stringify({ success: true, summary: "made it" })); }
`,
  );
  writeFileSync(
    join(dir, "loop.yaml"),
    `goal: A text
base_case:
  checklist:
    - {item: Made, check: {type: file, value: made.txt}}
    - {item: Reads well, check: {type: assertion, value: the text reads well}}
`,
  );
  expect(await aot(["align", "--from", "loop.yaml", "--yes"], { cwd: dir })).toMatchObject({ code: 0 });
  const command = `command:"${process.execPath}" "${agent}"`;
  const run = () => aot(["run", "--agent", command, "--judge", command], { cwd: dir });
  expect(await run()).toMatchObject({ code: 16 });
  return { dir, run, prompts: () => readFileSync(seen, "utf8") };
}

test("SPEC 8: a confirmed item needs no judge and no further word: the next run is verified", async () => {
  const { dir, run, prompts } = await waiting();
  const unasked = await aot(["confirm", "reads well"], { cwd: dir });
  expect(unasked, "nobody could be asked, and nobody said yes").toMatchObject({ code: 2 });
  expect(unasked.err).toContain("--yes");
  expect(await aot(["confirm", "well", "--yes"], { cwd: dir })).toMatchObject({ code: 1 });
  expect(await run()).toMatchObject({ code: 16 });
  expect(await aot(["confirm", "assertion: the text reads well", "--yes"], { cwd: dir })).toMatchObject({ code: 0 });
  const judged = prompts().split("### judge").length;
  expect(await run()).toMatchObject({ code: 0 });
  expect(prompts().split("### judge").length).toBe(judged);
});

const why = whyNoTerminal();

test.skipIf(why !== null)(
  `SPEC 10: on a terminal a question shows what would be confirmed (${why ?? "run"})`,
  async () => {
    const { dir, run } = await waiting();
    const ask = async (key: string): Promise<string> => {
      const terminal = onTerminal([process.execPath, aotPath(), "confirm", "1"], dir, 100);
      const shown = (): string => terminal.screen.rows().join("\n");
      await eventually("the question", () => shown().includes('"Reads well" (assertion: the text reads well)'), 50_000);
      terminal.type(key);
      expect(await terminal.ended()).toBe(key === "y" ? 0 : 1);
      return shown();
    };
    expect(await ask("n")).toContain("nothing was changed");
    expect(await run()).toMatchObject({ code: 16 });
    await ask("y");
    expect(await run()).toMatchObject({ code: 0 });
  },
);

test("SPEC 8: a rejected item becomes work, and worker and judge are given the reason", async () => {
  const { dir, run, prompts } = await waiting();
  expect(await aot(["reject", "Reads well"], { cwd: dir })).toMatchObject({ code: 2 });
  expect(await aot(["reject", "Reads well", "--reason", "it explains nothing"], { cwd: dir })).toMatchObject({
    code: 0,
  });
  const { json } = await aotJson(["state", "show"], { cwd: dir });
  expect(json).toMatchObject({ executable_atoms: ["A2"] });
  const before = prompts().length;
  expect(await run()).toMatchObject({ code: 16 });
  const [, worker = "", judge = ""] = prompts().slice(before).split("### ");
  for (const [prompt, role] of [
    [worker, "worker"],
    [judge, "judge"],
  ] as const) {
    expect(prompt.startsWith(role)).toBe(true);
    expect(prompt).toContain("it explains nothing");
  }
});
