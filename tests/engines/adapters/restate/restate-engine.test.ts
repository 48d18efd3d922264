import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { EngineUnreachable } from "../../../../src/engines/adapters/engine-unreachable.ts";
import { createRestateEngine } from "../../../../src/engines/adapters/restate/restate-engine.ts";

test("SPEC 13: an engine's name says whether it is asked over TLS, since state files keep the name", () => {
  const name = (url: string): string => createRestateEngine({ url }).name;
  expect(name("http://127.0.0.1:8080")).toBe("restate://127.0.0.1:8080");
  expect(name("https://engine.example:8443")).toBe("restates://engine.example:8443");
});

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

test("SPEC 13: a loop whose worker has died is asked until another has its place: a command waits for that", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const asked: (() => void)[] = [];
  let come: () => void = () => {};
  const port = await serve((request, response) => {
    request.resume();
    asked.push(() => response.end('{"ok":true,"message":"it stops"}'));
    come();
  });
  const engine = createRestateEngine({ url: `http://127.0.0.1:${port}` });
  onTestFinished(() => engine.close());
  const stop = async (waits_ms: number): Promise<unknown> => {
    const received = new Promise<void>((resolve) => (come = resolve));
    const answer = engine.signal("x", { kind: "stop", reason: "", id: "1" }).catch((error: unknown) => error);
    await received;
    vi.advanceTimersByTime(waits_ms);
    asked.pop()?.();
    return await answer;
  };
  // Four looks of another worker, at most eight seconds each, and Restate's next try.
  expect(await stop(42_000)).toEqual({ ok: true, message: "it stops" });
  expect(await stop(120_000)).toMatchObject({
    message: expect.stringContaining("did not answer within"),
    hint: expect.stringContaining("aot worker"),
  });
});

test("SPEC 13: what is no engine is reported as such, whatever it answers, and without the password in its address", async () => {
  const answers: readonly (readonly [status: number, text: string])[] = [
    [200, "<html>\n<h1>Welcome</h1>"],
    [200, "{"],
    [302, ""],
    [401, "who are you?"],
    [500, "[]"],
  ];
  const left = [...answers];
  const port = await serve((request, response) => {
    const [status, text] = left.shift() ?? [200, "null"];
    request.resume();
    response.writeHead(status).end(text);
  });
  const engine = createRestateEngine({ url: `http://me:secret-word@127.0.0.1:${port}` });
  onTestFinished(() => engine.close());
  for (const [status] of answers) {
    const refusal: unknown = await engine.view("x").catch((error: unknown) => error);
    if (!(refusal instanceof EngineUnreachable)) throw new Error(`${status}: ${String(refusal)}`);
    expect(refusal.message).toContain(`http://127.0.0.1:${port}`);
    expect(refusal.message + refusal.hint).not.toContain("secret-word");
  }
  expect(await engine.view("x")).toBeNull();
});
