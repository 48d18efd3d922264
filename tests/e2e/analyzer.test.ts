/** Transcripts as the real Claude Code writes them: every line is of a form that is known, and a correction is found. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { analyzeTranscripts } from "../../src/rules/analyze.ts";
import { countFirings } from "../../src/rules/fired.ts";
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
      place.play(() => lines[turns++] ?? say("DONE"));
      expect((await place.claude("/aot-loop:hookify", "--continue", ...allowed)).code).toBe(0);
      const heard = place.scenes.map(({ last }) => last).join("\n---\n");
      expect(heard).toContain("Nothing is written before the user said yes");
      expect(heard).toContain('"name":"no-npm"');
      expect(existsSync(join(place.dir, ".claude", "hookify.no-npm.local.md")), heard).toBe(true);
      expect(countFirings({ owner: "project", dir: join(place.dir, ".claude") }).counts.get("no-npm")?.times).toBe(1);
    });

    test("/hookify without arguments: the conversation-analyzer refines the findings, and can write nothing", async () => {
      const place = await corrected();
      const lines = [
        bash("aot rules analyze --session latest --json"),
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

    test("/hookify with a behaviour: the rule that is worded from it is tried on examples, kept, and holds at once", async () => {
      const place = await stage(null, { env: AGREED });
      const add = (passes: string): ReturnType<typeof bash> =>
        bash(
          `aot rules add no-force --event bash --pattern 'push.*--force' --action block --message 'Push to a new branch.' --matches 'git push --force' --passes '${passes}'`,
        );
      const lines = [
        add("git push --force-with-lease"),
        add("git push"),
        bash("aot rules replay no-force"),
        bash("git push --force origin main"),
      ];
      let turns = 0;
      const written: boolean[] = [];
      place.play(() => {
        written.push(existsSync(join(place.dir, ".claude", "hookify.no-force.local.md")));
        return lines[turns++] ?? say("DONE");
      });
      expect((await place.claude("/aot-loop:hookify never force push", ...allowed, "Bash(git:*)")).code).toBe(0);
      expect(place.scenes[0]?.last).toContain("Make a guard rule: never force push");
      // One whose example passes what it must not is not kept.
      expect(written).toEqual([false, false, true, true, true]);
      expect(place.scenes.at(-1)?.last).toContain("Push to a new branch.");
      expect(countFirings({ owner: "project", dir: join(place.dir, ".claude") }).counts.get("no-force")?.times).toBe(1);
    });
  });
}
