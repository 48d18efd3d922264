/** A run as OpenTelemetry sees it, over real OTLP to a receiver in this process on loopback. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import * as api from "@opentelemetry/api";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createRunSpans } from "../../../src/adapters/telemetry/run-spans.ts";
import { isTelemetryWanted, startTelemetry } from "../../../src/adapters/telemetry/telemetry.ts";
import type { JournalLine } from "../../../src/core/journal-line.ts";
import { runGroup } from "../../../src/host/process.ts";
import { aotPath, cleanEnv } from "../../support/aot.ts";
import { setStage, type Stage } from "../../scenarios/stage.ts";

// ── off by default ──────────────────────────────────────────────────────────

test.each([
  [{}, false],
  [{ OTEL_SERVICE_NAME: "x" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1" }, true],
  [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
  [{ OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_TRACES_EXPORTER: "none" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "x", OTEL_SDK_DISABLED: "true" }, false],
])("the standard variables decide: %j", (env, wanted) => {
  expect(isTelemetryWanted(env)).toBe(wanted);
});

test("the console exporter is refused with a reason: stdout is the command's", async () => {
  const reported: string[] = [];
  expect(await startTelemetry({ OTEL_TRACES_EXPORTER: "console" }, (message) => reported.push(message))).toBe(null);
  expect(reported.join()).toContain("stdout");
});

test("the command carries none of it, and what every call loads does not even name it", () => {
  const folder = join(dirname(aotPath()), "cli");
  const naming = readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name), "latin1").includes("opentelemetry"),
  );
  expect(naming).not.toContain("hot.cjs");
  expect(naming).not.toEqual([]);
  for (const name of naming) expect(readFileSync(join(folder, name), "latin1")).not.toContain("OTLPTraceExporter");
});

// ── a whole run ─────────────────────────────────────────────────────────────

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };
}
interface SentSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}
interface SentMetric {
  readonly name: string;
  readonly unit?: string;
}
interface Sent {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly SentMetric[] }[];
  }[];
}

interface Receiver {
  readonly url: string;
  readonly bodies: string[];
  spans(): readonly SentSpan[];
  metrics(): readonly SentMetric[];
}

/** @param status what it answers */
async function receiver(status = 200): Promise<Receiver> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const sent = (): Sent[] => bodies.map((body) => JSON.parse(body) as Sent);
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    spans: () =>
      sent().flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    metrics: () =>
      sent().flatMap(({ resourceMetrics = [] }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
      ),
  };
}

const valueOf = (span: SentSpan, key: string): unknown => {
  const found = span.attributes.find((attribute) => attribute.key === key)?.value;
  return (
    found?.stringValue ?? found?.doubleValue ?? (found?.intValue === undefined ? undefined : Number(found.intValue))
  );
};

const SECRET = "the-secret-of-the-goal";

function stage(): Stage {
  const made = setStage({
    atoms: [{ id: "A1" }, { id: "A2", depends_on: ["A1"] }],
    objective: {
      goal: SECRET,
      base_case: { checklist: [{ item: SECRET, check: { type: "command", value: `"${process.execPath}" -e "0"` } }] },
    },
    script: {
      "A1.1": [{ answer: { success: false, summary: SECRET, artifacts: [] } }],
      A1: [{ write: { a: "1" } }],
      A2: [{ write: { b: "1" } }],
    },
  });
  return made;
}

async function run(
  made: Stage,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const ran = await runGroup({
    command: process.execPath,
    args: [aotPath(), "run", "--json", "--agent", `command:${made.agent}`],
    cwd: made.root,
    env: cleanEnv({ HOME: "/nonexistent", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...env }),
    timeout_ms: 55_000,
  });
  return { code: ran.exit_code, out: ran.stdout, err: ran.stderr };
}

test("run > iteration > attempt > agent call and run > base case > check, with figures, and without what anybody wrote", async () => {
  const [made, there] = [stage(), await receiver()];
  const ran = await run(made, { OTEL_EXPORTER_OTLP_ENDPOINT: there.url, OTEL_RESOURCE_ATTRIBUTES: "team=loops" });
  expect(ran).toMatchObject({ code: 0 });
  expect(JSON.parse(ran.out)).toMatchObject({ outcome: "verified" });
  const spans = there.spans();
  const named = (name: string): readonly SentSpan[] => spans.filter((span) => span.name.split(" ")[0] === name);
  const [root] = named("aot.run");
  expect(root?.parentSpanId ?? "").toBe("");
  expect(root && [valueOf(root, "aot.outcome"), valueOf(root, "aot.run.from")]).toEqual(["verified", "pending"]);
  const parents = (name: string): Set<string | undefined> =>
    new Set(named(name).map((span) => spans.find(({ spanId }) => spanId === span.parentSpanId)?.name));
  expect(parents("aot.iteration")).toEqual(new Set(["aot.run"]));
  expect(parents("aot.attempt")).toEqual(new Set(["aot.iteration"]));
  expect(parents("invoke_agent")).toEqual(new Set(["aot.attempt"]));
  expect(parents("aot.check_base_case")).toEqual(new Set(["aot.run"]));
  expect(parents("aot.check")).toEqual(new Set(["aot.check_base_case"]));
  const attempts = named("aot.attempt").map((span) => [
    valueOf(span, "aot.attempt"),
    span.status.code ?? 0,
    valueOf(span, "error.type"),
  ]);
  expect(attempts).toEqual([
    ["A1.1", 2, "failed"],
    ["A1.2", 0, undefined],
    ["A2.1", 0, undefined],
  ]);
  for (const span of named("invoke_agent")) expect(valueOf(span, "gen_ai.operation.name")).toBe("invoke_agent");
  for (const span of spans) expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
  const metrics = new Set(there.metrics().map(({ name }) => name));
  for (const name of ["aot.measure", "aot.attempt.duration", "gen_ai.client.operation.duration"])
    expect(metrics).toContain(name);
  const sent = there.bodies.join("\n");
  expect(sent).toContain("loops");
  expect(sent).not.toContain(SECRET);
  // The command line, which may hold a secret.
  expect(sent).not.toContain("scripted.mjs");
  expect(sent).not.toContain("process.command");
});

test("what somebody wrote is sent only where the standard variable says so", async () => {
  const [made, there] = [stage(), await receiver()];
  const OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT = "true";
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: there.url, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT };
  expect(await run(made, env)).toMatchObject({ code: 0 });
  const failed = there.spans().find((span) => span.name === "aot.attempt" && span.status.code === 2);
  expect(failed?.status.message).toBe(SECRET);
});

test("a destination that refuses, is not there, or logs to stdout changes nothing of the run", async () => {
  const refusing = await receiver(500);
  for (const env of [
    { OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url, OTEL_LOG_LEVEL: "debug" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
    { OTEL_EXPORTER_OTLP_ENDPOINT: "no url at all" },
  ]) {
    const ran = await run(stage(), env);
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.out)).toMatchObject({ outcome: "verified" });
  }
});

// ── every order of lines ────────────────────────────────────────────────────

test("RUN-SPANS-2: whatever lines come, each span that is begun is ended once, and not before it began", () => {
  const at = { run: "r", iteration: 1 };
  const usage = { input_tokens: 3, output_tokens: 2, cost_usd: 0.1 };
  const attempt = fc.constantFrom("A1.1", "A2.1");
  const plain = fc.constantFrom<object>(
    { event: "run_started", from: "pending" },
    { event: "iteration_opened" },
    { event: "iteration_judged", measure: 1, movement: "progress", stall_count: 0 },
    { event: "base_case_checked", verdict: { passed: true, checklist: [] }, usage },
    { event: "replanned", atoms: [], reason: "", usage },
    { event: "halted", outcome: "tampered", message: "" },
    { event: "run_ended", message: "", cost_usd: 0, active_ms: 0 },
  );
  const ofAttempt = fc.tuple(
    attempt,
    fc.constantFrom<object>(
      { event: "attempt_started", atom: "A1", role: "worker" },
      { event: "work_succeeded", usage, agent: "claude:opus" },
      { event: "work_split" },
      { event: "attempt_failed", kind: "conflict", reason: "" },
      { event: "attempt_integrated" },
      { event: "attempt_discarded" },
      { event: "waiting", wait_ms: 5 },
    ),
  );
  const lines = fc.array(
    fc.oneof(
      plain,
      ofAttempt.map(([id, line]) => ({ ...line, attempt: id })),
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(lines, (list) => {
      const counted = { begun: 0, open: 0 };
      const spans = createRunSpans(countingApi(counted), { content: false });
      list.forEach((line, i) => {
        const time = new Date(1_800_000_000_000 + i * 10).toISOString();
        spans.line({ ...at, time, ...line } as unknown as JournalLine);
      });
      spans.end();
      expect(counted.open).toBe(0);
    }),
  );
});

test("the conventions: a call's span is called `invoke_agent` and by its agent, also where only the role is known", () => {
  const named: (readonly [string, unknown])[] = [];
  const trace = {
    getTracer: () => ({
      startSpan: (name: string, { attributes = {} }: { attributes?: Readonly<Record<string, unknown>> }) => {
        if (attributes["gen_ai.operation.name"] === "invoke_agent") named.push([name, attributes["gen_ai.agent.name"]]);
        return { setAttribute() {}, setAttributes() {}, setStatus() {}, addEvent() {}, updateName() {}, end() {} };
      },
    }),
    setSpan: () => api.ROOT_CONTEXT,
  };
  const spans = createRunSpans({ ...api, trace } as unknown as typeof api, { content: false });
  const at = { run: "r", iteration: 1, time: "2026-01-01T00:00:00.000Z" };
  const usage = { input_tokens: 3, output_tokens: 2 };
  for (const line of [
    { event: "run_started", from: "pending" },
    { event: "base_case_checked", verdict: { passed: true, checklist: [] }, usage },
    { event: "replanned", atoms: [], reason: "", usage },
  ])
    spans.line({ ...at, ...line } as unknown as JournalLine);
  spans.end();
  expect(named).toEqual([
    ["invoke_agent judge", "judge"],
    ["invoke_agent planner", "planner"],
  ]);
});

/** The API with spans that count; ending twice or before the beginning throws. */
function countingApi(counted: { begun: number; open: number }): typeof api {
  const startSpan = (_: string, { startTime = 0 }: { startTime?: number }): unknown => {
    counted.begun++;
    counted.open++;
    let ended = false;
    return {
      setAttribute: () => {},
      setAttributes: () => {},
      setStatus: () => {},
      addEvent: () => {},
      updateName: () => {},
      end: (time: number) => {
        if (ended) throw new Error("ended twice");
        if (time < startTime) throw new Error("ended before it began");
        ended = true;
        counted.open--;
      },
    };
  };
  const trace = { getTracer: () => ({ startSpan }), setSpan: () => api.ROOT_CONTEXT };
  return { ...api, trace } as unknown as typeof api;
}
