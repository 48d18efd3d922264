/** Transcripts as the real Claude Code writes them: every line is of a form that is known, and a correction is found. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeTranscripts } from "../../src/app/rules-analyze.ts";
import { findTranscripts } from "../../src/app/rules-replay-sources.ts";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { withClient } from "./clients.ts";
import { bash, call, say, stage, startModel, type Model } from "./plugin-client.ts";

withClient("claude", suite);

function suite(client: string): void {
  let model: Model;
  let plugin: string;
  beforeAll(async () => {
    plugin = join(await stagePlugin(), "plugin");
    model = await startModel();
  });
  afterAll(() => model.stop());

  describe("SPEC 12: the analyzer on a real session", { timeout: 180_000 }, () => {
    test("what the person says against a call is found where the client keeps it", async () => {
      const place = stage(client, plugin, model, null);
      const allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Write,Read"];
      model.play(
        ({ turn }) =>
          [bash("npm --version"), call(["Write", { file_path: join(place.dir, "a.txt"), content: "a" }])][turn] ??
          say("Done."),
      );
      expect((await place.claude("look whether npm is there", ...allowed)).code).toBe(0);
      model.play(() => say("I see."));
      expect((await place.claude("no, use pnpm instead of npm", "--continue", ...allowed)).code).toBe(0);

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
  });
}
