import { expect, test } from "vitest";
import { createFigures, noteEnded } from "../../../src/engines/adapters/worker-figures.ts";
import { serveMetrics, workerMetricsText } from "../../../src/engines/worker-observability.ts";

test("SPEC 13: a worker's figures are read over HTTP, and nothing else is", async () => {
  const figures = createFigures(3);
  noteEnded(figures, {
    entries: [
      { event: "note", message: "x" },
      { type: "attempt_failed", attempt: "A1.1", kind: "failed", reason: "no" },
    ],
  });
  noteEnded(figures, null);
  const listener = await serveMetrics({ host: "127.0.0.1", port: 0 }, () => workerMetricsText(figures, 2, true));
  if (!listener.ok) throw new Error("it does not listen");
  const url = `http://127.0.0.1:${listener.value.port}`;
  const text = await (await fetch(`${url}/metrics`)).text();
  for (const line of [
    "aot_worker_slots 3",
    "aot_worker_draining 1",
    "aot_worker_tasks_held_up 2",
    'aot_worker_tasks_ended_total{outcome="attempt_failed"} 1',
    'aot_worker_tasks_ended_total{outcome="thrown"} 1',
  ])
    expect(text.split("\n")).toContain(line);
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) aot_\w+ .+|aot_\w+(\{\w+="[^"]*"\})? \d+)$/);
  expect((await fetch(`${url}/`)).status).toBe(404);
  const taken = await serveMetrics({ host: "127.0.0.1", port: listener.value.port }, () => "");
  expect(taken).toMatchObject({ ok: false });
  await listener.value.close();
});
