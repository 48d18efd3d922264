/** Mixed runAgentsByTerms (SPEC section 10): an agent for each role, and who takes over while one is rate limited. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesExist, setStage } from "./stage.ts";

const said = (answer: object): string =>
  `command:"${process.execPath}" -e "process.stdin.resume(); console.log('${JSON.stringify(answer).replaceAll('"', '\\"')}')"`;
/** As a client that is rate limited: exit code 75 until the flag of the stage is raised. */
const limited = `command:"${process.execPath}" -e "process.stdin.resume(); console.log('{}'); process.exitCode = 75"`;
const yes = { passed: true, evidence: "seen", quotes: [{ file: "README.md", line: 1, text: "a project" }] };
const judged = { checklist: [{ item: "sound", check: { type: "assertion", value: "it is sound" } }] } as const;

test("SPEC 10: each role has its agent, the journal says who worked which attempt, and who is among the agents", async () => {
  const stage = setStage({
    atoms: [{ id: "A1", probe: true }],
    objective: { base_case: judged },
    script: { A1: [{ write: { a: "1" } }] },
  });
  const end = await stage.run({
    probe: said({ feasible: true, findings: "fine" }),
    judge: said(yes),
    settings: { confirmed: true },
  });
  const lines = stage.journal();
  expect(lines.find((line) => line.event === "probe_feasible")).toMatchObject({
    findings: "fine",
    agent: "command:node",
  });
  expect(lines.find((line) => line.event === "work_succeeded")).toMatchObject({ agent: "command:node" });
  const note = lines.find((line) => line.event === "note" && line.message.startsWith("agents: "));
  expect(lines[0]).toMatchObject({ event: "run_started" });
  expect(note).toMatchObject({
    message: "agents: worker command:node, probe command:node, planner command:node, judge command:node",
  });
  expect(end).toMatchObject({
    exit_code: 0,
    report: { agents: [{ agent: "command:node", attempts: 2, failures: 0 }], history: [{ agent: "command:node" }] },
  });
  // The scripted agent was asked for the work alone.
  expect(stage.asked("A1.2").prompt).toContain("fine");
  expect(() => stage.asked("A1.1")).toThrow("ENOENT");
});

test("SPEC 10: while the first of a list is rate limited the next one works, and it is reported", async () => {
  const stage = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: { base_case: filesExist("a", "b") },
    script: { A1: [{ write: { a: "1" } }], A2: [{ write: { b: "1" } }] },
  });
  expect(await stage.run({ agent: `${limited},command:${stage.agent}` })).toMatchObject({ exit_code: 0 });
  const reported = stage.journal().filter((line) => line.event === "note" && line.message.includes("takes over"));
  expect(reported).toHaveLength(1);
  expect(stage.journal().filter((line) => line.event === "attempt_failed")).toEqual([]);
});

test("SPEC 10: mixed agents' run is recorded whole, and played back it tells who it was", async () => {
  const play = {
    atoms: [{ id: "A1" }],
    objective: { base_case: judged },
    script: { A1: [{ write: { a: "1" } }] },
  } as const;
  const first = setStage(play);
  const record = join(first.root, "..", "run.jsonl");
  const settings = { confirmed: true };
  const judge = said(yes);
  expect(await first.run({ judge, record, settings })).toMatchObject({ exit_code: 0 });
  const second = setStage(play);
  expect(await second.run({ agent: `replay:${record}`, settings })).toMatchObject({ exit_code: 0 });
  expect(second.journal().find((line) => line.event === "work_succeeded")).toMatchObject({
    agent: "replay:command:node",
  });
});
