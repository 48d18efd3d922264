/**
 * A worker that is cut off from the engine goes on, since it cannot know (SPEC section 13): its task is begun again
 * elsewhere, its late push is refused by the shared remote, that is in the journal, and nothing of it is integrated. Real commands,
 * a real database, a real remote.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDbosEngine } from "../../src/engines/adapters/dbos/dbos-engine.ts";
import type { LoopView } from "../../src/loop/engine.ts";
import { postgresPrograms, startPostgres } from "../support/engines/dbos-postgres.ts";
import { createLink } from "../support/engines/link.ts";
import { sharedProject } from "../support/engines/project.ts";
import { startAot } from "../support/engines/scene.ts";
import { tempFolder, until } from "../fixtures/programs.ts";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { hostedLines } from "../support/lines.ts";

const LIMIT_MS = 60_000;
const programs = postgresPrograms();

/** An agent that says where it works, waits until it is let go there, and leaves a file that names the place. */
const AGENT = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const here = process.argv[2];
readFileSync(0);
const who = process.cwd().includes("worker-a") ? "a" : "b";
appendFileSync(here + "/calls", who + "\\n");
const wait = () => {
  if (!existsSync(here + "/go-" + who)) return setTimeout(wait, 50);
  writeFileSync("by-" + who + ".txt", who);
  console.log(JSON.stringify({ success: true, summary: "by " + who, artifacts: [] }));
};
wait();
`;

/** A worker as a process of its own, ended by its id when the test is over. */
async function startWorker(here: string, name: string, engine: string): Promise<void> {
  const words = ["worker", "--name", name, "--engine", engine, "--dir", join(here, `worker-${name}`), "--slots", "2"];
  const worker = await startAot(words, /is ready/, { cwd: here });
  onTestFinished(async () => void (await worker.end("SIGKILL")));
}

describe.skipIf(programs === null)("a worker that is cut off, on a real PostgreSQL", () => {
  test(
    "SPEC 13: a cut-off worker's task is taken over; its late push is refused, recorded, and never integrated",
    { timeout: 5 * LIMIT_MS },
    async () => {
      const here = tempFolder();
      const { root, remote } = sharedProject(here, { type: "file", value: "by-*.txt" });
      writeFileSync(join(here, "agent.cjs"), AGENT);
      const postgres = await startPostgres(programs ?? "");
      onTestFinished(() => postgres.close());
      const { url } = postgres;
      const link = await createLink(Number(new URL(url).port));
      onTestFinished(() => link.close());
      const linked = new URL(url);
      linked.port = String(link.port);
      await startWorker(here, "a", linked.href);
      const agent = `command:'${process.execPath}' '${join(here, "agent.cjs")}' '${here}'`;
      // Not spawnSync: the link is in this process.
      const submit = [aotPath(), "submit", "--engine", url, "--agent", agent, "--judge", "none", "--json"];
      await promisify(execFile)(process.execPath, submit, { cwd: root, env: cleanEnv(), timeout: LIMIT_MS });
      const calls = (): string => (existsSync(join(here, "calls")) ? readFileSync(join(here, "calls"), "utf8") : "");
      await until(() => calls().includes("a"), "the first worker is at work", LIMIT_MS);

      await startWorker(here, "b", url);
      link.cut();
      await until(() => calls().includes("b"), "the second worker has taken over", LIMIT_MS);
      writeFileSync(join(here, "go-a"), "");
      const tasks = join(here, "worker-a", "tasks");
      await until(() => readdirSync(tasks).length === 0, "the first worker is done with it", LIMIT_MS);
      link.heal();

      const client = createDbosEngine(url);
      onTestFinished(() => client.close());
      const [loop = ""] = await client.loops();
      const viewed = async (holds: (view: LoopView) => boolean): Promise<LoopView> => {
        for (const end = Date.now() + LIMIT_MS; Date.now() < end;) {
          const view = await client.view(loop);
          if (view !== null && holds(view)) return view;
          await new Promise((resume) => setTimeout(resume, 50));
        }
        throw new Error(`never: ${holds.toString()}`);
      };
      const { refused } = await viewed((view) => view.refused.length > 0);
      expect(refused).toMatchObject([{ task: "A1.1", run: 1 }]);
      writeFileSync(join(here, "go-b"), "");
      const end = await viewed(({ state }) => state.control.outcome != null);
      expect(end).toMatchObject({ attempts: 1, reruns: 1, state: { control: { outcome: "verified" } } });

      const lines = await hostedLines(client, loop);
      const notes = lines.flatMap((line) => (line.event === "note" ? [line.message] : []));
      expect(notes).toContainEqual(expect.stringMatching(/A1\.1 is begun again by b \(run 2\); a had begun it/));
      expect(notes).toContainEqual(expect.stringMatching(/late result of A1\.1 \(run 1\) is refused/));
      const [integration = ""] = execFileSync(
        "git",
        ["for-each-ref", "--format=%(refname)", "refs/heads/aot/*/integration"],
        { cwd: remote, encoding: "utf8" },
      ).split("\n");
      const files = execFileSync("git", ["ls-tree", "--name-only", integration], { cwd: remote, encoding: "utf8" });
      expect(files.split("\n").filter((file) => file.startsWith("by-"))).toEqual(["by-b.txt"]);
    },
  );
});
