/** Agents that misbehave: nothing of it is integrated unseen, nothing is called verified, nothing is left (SPEC section 7). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopPaths } from "../../src/host/loop-paths.ts";
import { isAlive } from "../../src/host/process.ts";
import { filesExist, setStage, type Act, type Play, type RunOverrides, type Stage } from "../scenarios/stage.ts";

const GOOD: readonly Act[] = [{ write: { a: "good" } }];

/** One atom: the first attempt misbehaves, the second is good. */
async function misbehaving(
  first: readonly Act[],
  request: RunOverrides = {},
  play: Partial<Play> = {},
): Promise<Stage> {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    objective: { base_case: filesExist("a") },
    ...play,
    script: { "A1.1": first, A1: GOOD },
  });
  expect(await stage.run(request)).toMatchObject({ exit_code: 0 });
  expect(stage.integrated("a")).toBe("good");
  return stage;
}

function failureOf(stage: Stage): { readonly kind: string; readonly reason: string } | undefined {
  const line = stage.journal().find((line) => line.event === "attempt_failed");
  return line?.event === "attempt_failed" ? { kind: line.kind, reason: line.reason } : undefined;
}

test("SPEC 7: an agent that hangs is killed as a group when its time is up", async () => {
  const daemon = `sh -c 'sleep 1000 & echo $! > child; mv child ../../../../../../wings/child; sleep 1000'`;
  const stage = await misbehaving([{ write: { a: "half" } }, { sh: daemon }], { limits: { timeout_ms: 1_500 } });
  expect(failureOf(stage)).toEqual({ kind: "timeout", reason: "not finished within 1.5 s; its processes were ended" });
  expect(isAlive(Number(stage.read("../wings/child")))).toBe(false);
  expect(stage.asked("A1.2").nogoods).toMatchObject([{ reason: expect.stringContaining("not finished within") }]);
});

test("SPEC 7: an agent that falls silent is killed", async () => {
  const stage = await misbehaving([{ hang: true }], { limits: { idle_timeout_ms: 700 } });
  expect(failureOf(stage)).toEqual({ kind: "timeout", reason: "no output for 0.7 s; its processes were ended" });
});

test("SPEC 7: exit 0 with words is a claim, asked for nothing more: the checks decide", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    objective: { base_case: filesExist("a") },
    script: { "A1.1": [{ write: { b: "other" } }, { say: "all done, trust me" }], "A1.2": GOOD },
  });
  expect(await stage.run({ planner: "none" })).toMatchObject({ exit_code: 0, report: { attempts: 2 } });
  expect(stage.integrated("a")).toBe("good");
  const claim = stage.journal().find((line) => line.event === "work_succeeded");
  expect(claim).toMatchObject({ attempt: "A1.1", summary: expect.stringContaining("all done, trust me") });
});

test("SPEC 7: half a JSON is repaired by asking once more, and the work counts", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    objective: { base_case: filesExist("a") },
    script: {
      "A1.1": [...GOOD, { say: '{"success": true, "summ' }],
      "A1.1.again": [{ answer: { success: true, summary: "did", artifacts: [] } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0, report: { attempts: 1, failures: 0 } });
});

test("SPEC 7: an answer that is nested 200,000 levels deep is asked for once more, then the attempt has failed", async () => {
  const deep = `{"success": true, "summary": "s", "artifacts": ${"[".repeat(2e5)}${"]".repeat(2e5)}}`;
  const stage = await misbehaving([{ say: deep }]);
  expect(failureOf(stage)).toMatchObject({
    kind: "unreadable",
    reason: expect.stringContaining("asked twice: no complete JSON object"),
  });
});

test("SPEC 7: a flood of output does no harm, and its log is bounded", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    objective: { base_case: filesExist("a") },
    script: { A1: [...GOOD, { sh: "head -c 30000000 /dev/zero | tr '\\0' '{'" }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  const log = readFileSync(join(loopPaths(stage.stateFile).logs, "A1.1.log"));
  expect(log.length).toBeLessThan(20_000_000);
});

test("SPEC 7: a daemon that an agent leaves behind does not outlive it", async () => {
  const stage = await misbehaving([
    {
      sh: `setsid sh -c 'echo $$ > daemon.tmp; mv daemon.tmp ../../../../../../wings/daemon; exec sleep 1000' >/dev/null 2>&1 & while ! test -f ../../../../../../wings/daemon; do sleep 0.05; done`,
    },
    ...GOOD,
  ]);
  expect(isAlive(Number(stage.read("../wings/daemon")))).toBe(false);
});

test("SPEC 6: a lie about success is found by the base case, which alone decides", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 2 },
    objective: { base_case: { type: "command", value: "grep -q right a" } },
    script: {
      worker: [{ write: { a: "wrong" } }, { answer: { success: true, summary: "all tests pass", artifacts: ["a"] } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 12, report: { verdict: { passed: false } } });
});

test("SPEC 7: what an agent writes into the person's checkout is not integrated, and verifies nothing", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }],
    constraints: { max_iterations: 2 },
    objective: { base_case: filesExist("a") },
    script: { worker: [{ sh: "cd ../../../../.. && echo sneaked > a" }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 12 });
  expect([stage.read("a"), stage.branch() === "" ? null : stage.integrated("a")]).toEqual(["sneaked\n", null]);
});

test.each<readonly [string, string]>([
  ["deletes its .git", "rm -rf .git"],
  ["commits by itself", "git add -A && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m mine"],
  ["switches branches", "git switch -q -c elsewhere"],
  ["detaches and resets", "git checkout -q --detach && git reset -q --hard"],
  ["commits on the person's branch name", "git update-ref refs/heads/side HEAD"],
])("SPEC 7: an agent that %s: what is in its folder is what counts", async (_, command) => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: { base_case: filesExist("a", "b") },
    script: {
      A1: [{ sh: command }, ...GOOD],
      A2: [{ sh: `test -f a && ${command} ; test -f a` }, { write: { b: "b" } }],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0, report: { failures: 0 } });
  expect([stage.read("a"), stage.read("b")]).toEqual(["good", "b"]);
  expect(stage.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
});

test("SPEC 7: an agent that removes its own folder fails, and the next one has one", async () => {
  const stage = await misbehaving([{ sh: 'rm -rf "$PWD"' }]);
  expect(failureOf(stage)).toMatchObject({ kind: "failed", reason: expect.stringContaining("is gone") });
});

test("SPEC 2, 8: an agent that writes into the state file gains nothing by it", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    constraints: { max_iterations: 2 },
    objective: { base_case: filesExist("never") },
    script: {
      A1: [
        {
          sh: "sed -i -e 's/status: .*/status: resolved/; s/^  status: .*/  status: completed/' ../../../../aot-loop-state.md",
        },
      ],
    },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 12 });
  expect(stage.state().control).toMatchObject({ status: "stopped", outcome: "max_iterations" });
  expect(
    stage
      .journal()
      .flatMap((line) => (line.event === "note" ? [line.message] : []))
      .join("\n"),
  ).toContain("was changed during the run");
});

test("SPEC 8: an agent that spoils the journal and takes the run lock away does not stop the run", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: { base_case: filesExist("a") },
    script: { A1: [...GOOD, { sh: "cd ../../../../aot-loop && printf '{half' >> journal.jsonl && rm run.lock" }] },
  });
  expect(await stage.run()).toMatchObject({ exit_code: 0 });
  expect(existsSync(loopPaths(stage.stateFile).runLock)).toBe(false);
  expect(stage.journal().at(-1)).toMatchObject({ event: "run_ended" });
});

test("SPEC 8: what an agent drops among the requests is kept and reported, and the run goes on", async () => {
  const deep = '{"kind":"redirect","redirect":' + "[".repeat(1_000) + "]".repeat(1_000) + "}";
  const bodies = ['{"kind":"redirect","redirect":{"kind":"pause"}}', '{"kind":"sing"}', deep, "null"];
  const files = bodies.map((body, i) => {
    const [part, whole] = [`$requests/1-${i}.part`, `$requests/1-${i}.request.json`];
    return `printf '%s' '{"from":"1/","body":${body}}' > ${part} && mv ${part} ${whole}`;
  });
  const drops = [...files, "mkfifo $requests/2-pipe.request.json", "mkdir $requests/2-folder.request.json"];
  const waits =
    "until test -e $requests/2-pipe.refused.json -a -e $requests/2-folder.refused.json; do sleep 0.05; done";
  const sh = ["requests=../../../../aot-loop/requests", ...drops, waits].join("; ");
  const stage = await misbehaving([{ sh }, { answer: { success: false, summary: "no" } }]);
  const notes = stage.journal().flatMap((line) => (line.event === "note" ? [line.message] : []));
  expect(notes.filter((note) => note.includes(".refused.json"))).toHaveLength(6);
  expect(notes).toContainEqual(expect.stringContaining('a redirect of the kind "pause" is not known'));
  expect(
    readdirSync(loopPaths(stage.stateFile).requests).filter((name) => name.endsWith(".refused.json")),
  ).toHaveLength(6);
});
