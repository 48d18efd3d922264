/** Transcripts as the real Claude Code writes them: every line is of a form that is known, and a correction is found. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeTranscripts } from "../../src/app/rules/rules-analyze.ts";
import { countFirings } from "../../src/app/rules/rules-fired.ts";
import { findTranscripts } from "../../src/app/rules/rules-replay-sources.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { withClient } from "./clients.ts";
import { bash, call, say, stage, startModel, type Model, type Stage } from "./plugin-client.ts";

withClient("claude", suite);

function suite(client: string): void {
  let model: Model;
  let plugin: string;
  beforeAll(async () => {
    plugin = join(await stagePlugin(), "plugin");
    model = await startModel();
  });
  afterAll(() => model.stop());

  const allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(npm:*),Write,Read"];
  /** A session in which the person corrected a command. */
  const corrected = async (): Promise<Stage> => {
    const place = stage(client, plugin, model, null);
    model.play(
      ({ turn }) =>
        [bash("npm --version"), call(["Write", { file_path: join(place.dir, "a.txt"), content: "a" }])][turn] ??
        say("Done."),
    );
    expect((await place.claude("look whether npm is there", ...allowed)).code).toBe(0);
    model.play(() => say("I see."));
    expect((await place.claude("no, use pnpm instead of npm", "--continue", ...allowed)).code).toBe(0);
    return place;
  };

  describe("SPEC 12: the analyzer on a real session", { timeout: 180_000 }, () => {
    test("what the person says against a call is found where the client keeps it", async () => {
      const place = await corrected();
      const choice = { paths: [], session: "latest", everywhere: false };
      const where = { cwd: place.dir, env: { HOME: place.home } };
      const files = findTranscripts(choice, where.cwd, where.env);
      const text = files.ok
        ? files.value.map(({ path }) => readFileSync(path, "utf8")).join("")
        : JSON.stringify(files);
      const analyzed = await analyzeTranscripts(choice, where);
      if (!analyzed.ok) throw new Error(JSON.stringify(analyzed.problems));
      const { counts, findings } = analyzed.value;
      expect([counts.unknown, counts.unreadable, counts.too_long], text).toEqual([0, 0, 0]);
      expect(findings, text).toMatchObject([
        {
          finding: {
            kind: "correction",
            what: "Bash: npm --version",
            quotes: [{ text: "no, use pnpm instead of npm" }],
          },
          proposed: { proposal: { name: "no-npm" }, replay: { caught: 1, harmless: 0 } },
        },
      ]);
    });

    test("/hookify sees the conversation that it is called in, and keeps a rule that holds at once", async () => {
      const place = await corrected();
      const lines = [
        bash("aot rules analyze --session latest --json"),
        bash("aot rules analyze --session latest --write no-npm --yes"),
        bash("npm --version"),
      ];
      let turns = 0;
      model.play(() => lines[turns++] ?? say("DONE"));
      expect((await place.claude("/aot-loop:hookify", "--continue", ...allowed)).code).toBe(0);
      const heard = model.scenes.map(({ last }) => last).join("\n---\n");
      expect(heard).toContain("lists a command `rules`");
      expect(heard).toContain('"name":"no-npm"');
      expect(existsSync(join(place.dir, ".claude", "hookify.no-npm.local.md")), heard).toBe(true);
      expect(countFirings({ owner: "project", dir: join(place.dir, ".claude") }).counts.get("no-npm")?.times).toBe(1);
    });
  });
}
