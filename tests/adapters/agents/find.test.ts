import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { createAgent, firstInstalled } from "../../../src/adapters/agents/find.ts";
import { printHeader } from "../../../src/adapters/agents/recording.ts";
import { tempFolder } from "../../fixtures/programs.ts";

test("SPEC 10: an agent is found by its name", () => {
  const file = join(tempFolder(), "run:1.jsonl");
  writeFileSync(file, printHeader("claude"));
  for (const spec of [
    "claude",
    "claude:sonnet",
    "codex",
    "codex:gpt-x",
    "gemini",
    "gemini:gemini-2.5-pro",
    "acp:gemini --acp",
    "command:node agent.mjs --flag=a:b --list=c,d",
    `replay:${file}`,
    "claude:opus,codex,gemini,acp:x,command:y a,b",
  ]) {
    expect(createAgent(spec)).toMatchObject({ ok: true, value: { name: spec } });
  }
});

test.each(
  "emacs|gemini:|acp:|codex:|claude:x,codex:||claude:|command:|command: |command|replay|replay:|Claude".split("|"),
)("SPEC 10: %j is no agent, and those that are get listed", (spec) => {
  expect(createAgent(spec)).toMatchObject({
    ok: false,
    problems: [
      {
        message: expect.stringContaining(JSON.stringify(spec.replace(/^.*,/, ""))),
        hint: expect.stringMatching(/claude.*codex.*acp:<command>.*command:<shell command>.*replay:<file>/),
      },
    ],
  });
});

test.skipIf(process.platform === "win32")(
  "SPEC 10: the default is the first agent installed, else what to install is said",
  async () => {
    const folder = tempFolder();
    const none = await firstInstalled({ env: { PATH: folder } });
    expect(none).toMatchObject({
      ok: false,
      problems: [
        {
          message:
            "no agent is installed: there is no claude on PATH (install Claude Code: npm install -g @anthropic-ai/claude-code), there is no codex on PATH (install Codex: npm install -g @openai/codex)",
          hint: expect.stringContaining("command:"),
        },
      ],
    });
    writeFileSync(join(folder, "codex"), "#!/bin/sh\necho 'codex-cli 1.2.3'\n", { mode: 0o755 });
    const second = await firstInstalled({ env: { PATH: `${folder}${delimiter}/bin${delimiter}/usr/bin` } });
    expect(second).toMatchObject({ ok: true, value: { name: "codex" } });
    writeFileSync(join(folder, "claude"), "#!/bin/sh\necho '9.8.7 (Claude Code)'\n", { mode: 0o755 });
    const env = { PATH: `${folder}${delimiter}/bin${delimiter}/usr/bin` };
    const found = await firstInstalled({ env });
    expect(found).toMatchObject({ ok: true, value: { name: "claude" } });
    if (found.ok) expect(await found.value.available()).toEqual({ ok: true, version: "9.8.7" });
  },
);

test.skipIf(process.platform === "win32")(
  "a program of that name that is not Claude Code is not taken for it",
  async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "claude"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect(await firstInstalled({ env: { PATH: `${folder}${delimiter}/bin` } })).toMatchObject({ ok: false });
  },
);

test("SPEC 10: each client of a table row is called as its documentation says, with its model in the environment", async () => {
  const bin = tempFolder();
  for (const kind of ["gemini", "opencode", "goose", "copilot", "cursor-agent"]) {
    const absent = createAgent(kind, { env: { PATH: bin } });
    expect(absent.ok && (await absent.value.available())).toMatchObject({
      ok: false,
      reason: expect.stringContaining(`there is no ${kind} on PATH (install `),
    });
  }
  expect(createAgent("goose:some-model")).toMatchObject({ ok: true, value: { name: "goose:some-model" } });
  expect(createAgent("cursor-agent:some-model"), "it would not be heeded").toMatchObject({ ok: false });
});
