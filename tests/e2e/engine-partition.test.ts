/**
 * A worker that is cut off from the engine goes on, since it cannot know (SPEC section 13): its task is begun again
 * elsewhere, its late push is refused by the shared remote, that is in the journal, and nothing of it is integrated.
 * Real commands, a real server, a real remote; the test's output says what cut the worker off.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRestateEngine } from "../../src/engines/adapters/restate/restate-engine.ts";
import type { LoopView } from "../../src/loop/engine.ts";
import { startBalancer } from "../support/engines/balancer.ts";
import { createLink, type Link } from "../support/engines/link.ts";
import { sharedProject } from "../support/engines/project.ts";
import { freePorts, restateProgram, startRestate } from "../support/engines/restate.ts";
import { startAot } from "../support/engines/scene.ts";
import { tempFolder, until } from "../fixtures/programs.ts";
import { aotPath, cleanEnv } from "../support/aot.ts";
import { hostedLines } from "../support/lines.ts";

const LIMIT_MS = 60_000;
const program = restateProgram();

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

interface WorkerPlace {
  readonly name: string;
  readonly prefix: readonly string[];
  readonly engine: string;
  readonly admin: string;
  readonly listen: string;
  readonly address: string;
}

/** A worker as a process of its own, ended by its id when the test is over. */
async function startWorker(here: string, { name, prefix, ...place }: WorkerPlace): Promise<void> {
  const options = Object.entries(place).flatMap(([option, value]) => [`--${option}`, value]);
  const words = ["worker", "--name", name, ...options, "--dir", join(here, `worker-${name}`), "--slots", "2"];
  const worker = await startAot(words, /is ready/, { cwd: here, prefix });
  onTestFinished(async () => void (await worker.end("SIGKILL")));
}

describe.skipIf(program === null)("a worker that is cut off, on a real server", () => {
  const linked = async (): Promise<Link> => {
    const link = await createLink();
    onTestFinished(() => link.close());
    return link;
  };

  test(
    "SPEC 13: a cut-off worker's task is taken over; its late push is refused, recorded, and never integrated",
    { timeout: 5 * LIMIT_MS },
    async () => {
      const link = await linked();
      const here = tempFolder();
      const { root, remote } = sharedProject(here, { type: "file", value: "by-*.txt" });
      writeFileSync(join(here, "agent.cjs"), AGENT);
      const server = await startRestate(program ?? "", link.host);
      onTestFinished(() => server.close());
      const portOf = (url: string): number => Number(new URL(url).port);
      const [port = 0] = await freePorts(1);
      const place = await link.listen();
      const balancer = await startBalancer([`http://${place.reached}`, `http://127.0.0.1:${port}`]);
      onTestFinished(() => balancer.close());
      const [engine, admin] = [await link.toward(portOf(server.ingress)), await link.toward(portOf(server.admin))];
      await startWorker(here, {
        name: "a",
        prefix: link.prefix,
        engine: `restate://${engine}`,
        admin: `http://${admin}`,
        listen: place.own,
        address: balancer.url,
      });

      const name = `restate://${new URL(server.ingress).host}`;
      const agent = `command:'${process.execPath}' '${join(here, "agent.cjs")}' '${here}'`;
      // Not spawnSync: the balancer is in this process.
      const submit = [aotPath(), "submit", "--engine", name, "--agent", agent, "--judge", "none", "--json"];
      await promisify(execFile)(process.execPath, submit, { cwd: root, env: cleanEnv(), timeout: LIMIT_MS });
      const calls = (): string => (existsSync(join(here, "calls")) ? readFileSync(join(here, "calls"), "utf8") : "");
      await until(() => calls().includes("a"), "the first worker is at work", LIMIT_MS);

      await startWorker(here, {
        name: "b",
        prefix: [],
        engine: name,
        admin: server.admin,
        listen: `127.0.0.1:${port}`,
        address: balancer.url,
      });
      link.cut();
      await until(() => calls().includes("b"), "the second worker has taken over", LIMIT_MS);
      writeFileSync(join(here, "go-a"), "");
      const tasks = join(here, "worker-a", "tasks");
      await until(() => readdirSync(tasks).length === 0, "the first worker is done with it", LIMIT_MS);
      link.heal();

      const client = createRestateEngine({ url: server.ingress });
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
      expect(refused).toMatchObject([{ task: "A1.1", run: 1, reason: expect.stringContaining("later run") }]);
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
        {
          cwd: remote,
          encoding: "utf8",
        },
      ).split("\n");
      const files = execFileSync("git", ["ls-tree", "--name-only", integration], { cwd: remote, encoding: "utf8" });
      expect(files.split("\n").filter((file) => file.startsWith("by-"))).toEqual(["by-b.txt"]);
      console.log(`cut off by: ${link.how}`);
    },
  );
});
