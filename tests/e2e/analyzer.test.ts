/** Transcripts as the real Claude Code writes them: every line is of a form that is known, and a correction is found. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { analyzeTranscripts } from "../../src/rules/analyze.ts";
import { findTranscripts } from "../../src/rules/replay-sources.ts";
import { bash, call, say, withPlugin, type SetStage, type Stage } from "./plugin-client.ts";

withPlugin(suite);

/** Whoever started the client said yes to decisions beforehand. */
const AGREED = { AOT_DECISIONS: "allow" };

function suite(stage: SetStage): void {
  const allowed = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(npm:*),Bash(aot rules:*),Write,Read"];
  /** A session in which the person corrected a command. */
  const corrected = async (): Promise<Stage> => {
    const place = await stage(null, { env: AGREED });
    place.play(
      ({ turn }) =>
        [bash("npm --version"), call(["Write", { file_path: join(place.dir, "a.txt"), content: "a" }])][turn] ??
        say("Done."),
    );
    expect((await place.claude("look whether npm is there", ...allowed)).code).toBe(0);
    place.play(() => say("I see."));
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
      const analyzed = await analyzeTranscripts(choice, where, undefined, (turns) => {
        const agreed = turns.map((turn) => {
          const first = turn.moments.find(({ kind }) => kind === "call");
          const call = first?.kind === "call" ? first.call : null;
          const rule = { name: "use-pnpm", words: "Use pnpm.", when: [{ field: "command", pattern: "^npm" }] };
          const reading = { quote: turn.text, call, severity: "medium" as const, rule };
          return { turn, quote: turn.text, call, readings: [reading, reading] };
        });
        return Promise.resolve({ ok: true, value: { agreed, differing: 0 } });
      });
      if (!analyzed.ok) throw new Error(JSON.stringify(analyzed.problems));
      const { counts, findings } = analyzed.value;
      expect([counts.unknown, counts.unreadable, counts.too_long], text).toEqual([0, 0, 0]);
      expect(findings, text).toMatchObject([
        {
          finding: { call: { command: "npm --version" }, quotes: [{ text: "no, use pnpm instead of npm" }] },
          proposed: { rule: { name: "use-pnpm" }, replay: { caught: 1, harmless: 0 } },
        },
      ]);
    });

    test("/hookify without arguments: the conversation-analyzer refines the findings, and can write nothing", async () => {
      const place = await corrected();
      const lines = [
        bash("aot rules analyze --session latest --agent none --json"),
        call([
          "Agent",
          {
            description: "check the findings",
            subagent_type: "aot-loop:conversation-analyzer",
            prompt: "THE FINDINGS",
            run_in_background: false,
          },
        ]),
        bash(
          `aot rules add no-npm --event bash --pattern '^npm\\b' --action block --message 'Use pnpm here.' --matches 'npm ci' --passes 'pnpm ci'`,
        ),
        bash("npm --version"),
      ];
      let turns = 0;
      place.play(({ task }) => (task.includes("THE FINDINGS") ? say("REFINED") : (lines[turns++] ?? say("DONE"))));
      const more = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(npm:*),Bash(aot rules:*),Read,Agent"];
      expect((await place.claude("/aot-loop:hookify", "--continue", ...more)).code).toBe(0);
      const analyzer = place.scenes.filter(({ task }) => task.includes("THE FINDINGS"));
      expect(analyzer.map(({ tools }) => tools.toSorted())).toEqual([["Grep", "Read"]]);
      const heard = place.scenes.map(({ last }) => last).join("\n---\n");
      expect(heard).toContain("REFINED");
      expect(heard).toContain("Use pnpm here.");
      expect(readFileSync(join(place.dir, ".claude", "hookify.no-npm.local.md"), "utf8")).toContain("^npm\\b");
    });
  });
}
