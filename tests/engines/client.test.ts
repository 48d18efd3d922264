/** Which engine a name means (SPEC section 13). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { engineNamed, engineUrl } from "../../src/engines/client.ts";

const nameOf = (name: string, env: Readonly<Record<string, string>> = {}): string => {
  const engine = engineNamed(name, env);
  if (!engine.ok) throw new Error(JSON.stringify(engine.problems));
  return engine.value.name;
};

test("SPEC 13: postgres:// names an engine, and anything else learns how it is written", () => {
  expect(nameOf("postgres://me:secret@Db.internal/loops?sslmode=require")).toBe("postgres://db.internal:5432/loops");
  expect(nameOf("postgresql://me@[::1]:6432/loops")).toBe("postgres://[::1]:6432/loops");
  for (const bad of [
    "redis://here",
    "http://127.0.0.1:8080",
    "127.0.0.1:5432",
    "postgres://",
    "postgres://me@here",
    "postgres:///loops",
    "postgres://here/a/b",
  ])
    expect(engineUrl(bad)).toMatchObject({
      ok: false,
      problems: [{ hint: expect.stringContaining("postgres://USER@") }],
    });
});

test("SPEC 13: a password is in no name of an engine, and in no complaint about one", () => {
  const word = fc.stringMatching(/^[a-z0-9]{6,12}$/).map((text) => `secret-${text}`);
  const rest = fc.constantFrom(
    "here/loops",
    "here:1/loops",
    "here",
    "/loops",
    "here/a/b",
    "here:x/loops",
    "[::1/loops",
    "",
  );
  fc.assert(
    fc.property(word, rest, (password, address) => {
      const name = `postgres://me:${password}@${address}`;
      const url = engineUrl(name);
      const reported = url.ok ? nameOf(name) : JSON.stringify(url.problems);
      expect(reported).not.toContain(password);
    }),
  );
});

test("SPEC 13: a database that cannot be reached is named with what to do, and without the password", async () => {
  const owner = "postgres://127.0.0.1:1/loops";
  const engine = engineNamed(owner, { AOT_ENGINE: "postgres://me:secret@127.0.0.1:1/loops" });
  if (!engine.ok) throw new Error("refused");
  expect(engine.value.name).toBe(owner);
  const asked = engine.value.view("any");
  await expect(asked).rejects.toThrow(/PostgreSQL at postgres:\/\/127\.0\.0\.1:1\/loops cannot be reached/);
  await expect(asked).rejects.not.toThrow(/secret/);
  await expect(asked).rejects.toMatchObject({ hint: expect.stringContaining("--engine") });
  await engine.value.close();
});
