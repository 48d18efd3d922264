/** Watching a phase loop whose run waits for a person without holding a lock (SPEC sections 8 and 11). */
import { appendFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { journalOf } from "../../src/history/loop-log.ts";
import { attachPhases } from "../../src/phases/attach.ts";
import { eventually } from "../support/bundle.ts";
import { setPhaseStage } from "../support/phase-stage.ts";

const DEFINITION = {
  id: "small",
  phases: [{ name: "DRAFT", skills: [], required: true }],
  gates: [{ id: "review", afterPhase: "DRAFT", required: true, approvalType: "human", deliverables: [] }],
  defaults: { mode: "m" },
};

const QUIET = { phases: () => {}, work: () => {} };

test.runIf(process.platform === "linux")(
  "SPEC 8: whoever has the pid of a killed run that waited at a gate is not taken for it",
  async () => {
    const stage = await setPhaseStage(DEFINITION);
    const reported: string[] = [];
    const leave = { now: (): void => {} };
    const ended = stage.run({
      wait: true,
      reported: (message) => void reported.push(message),
      during: (_, control) => (leave.now = () => control.stop("enough")),
    });
    await eventually("it waits", () => reported.some((line) => line.includes("waits for a human")), 60_000);
    const look = new AbortController();
    const looking = attachPhases(stage.stateFile, QUIET, look.signal);
    // The line is there already: whoever watches has read it once he has looked for the first time.
    look.abort();
    expect(await looking, "this process is that run").toMatchObject({ kind: "left" });

    // The run as a process of the same pid that was there before this one would have reported itself.
    const journal = journalOf(stage.stateFile);
    const line = readFileSync(journal, "utf8").trimEnd().split("\n").at(-1) ?? "";
    const { stays } = JSON.parse(line) as { readonly stays?: unknown };
    const earlier = String(stays).replace(/\/\d+/, "/1");
    appendFileSync(journal, `${JSON.stringify({ ...JSON.parse(line), stays: earlier })}\n`);
    const limit = AbortSignal.timeout(30_000);
    expect(await attachPhases(stage.stateFile, QUIET, limit)).toMatchObject({ kind: "died" });
    expect(earlier.startsWith(`${process.pid}/1.`), earlier).toBe(true);

    await stage.act({ type: "pass_gate", gate: "review", by: "person" });
    expect(await ended).toMatchObject({ ok: true });
    leave.now();
  },
);
