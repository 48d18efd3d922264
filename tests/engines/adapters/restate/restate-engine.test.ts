import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { EngineUnreachable } from "../../../../src/engines/adapters/engine-unreachable.ts";
import { createRestateEngine } from "../../../../src/engines/adapters/restate/restate-engine.ts";

test("SPEC 13: an engine's name says whether it is asked over TLS, since state files keep the name", () => {
  const name = (url: string): string => createRestateEngine({ url }).name;
  expect(name("http://127.0.0.1:8080")).toBe("restate://127.0.0.1:8080");
  expect(name("https://engine.example:8443")).toBe("restates://engine.example:8443");
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
  const server = createServer((request, response) => {
    const [status, text] = left.shift() ?? [200, "null"];
    request.resume();
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
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
