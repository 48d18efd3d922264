import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { base58, keepIdentityKey } from "../../../src/engines/adapters/identity-key.ts";
import { tempFolder } from "../../fixtures/programs.ts";

test("SPEC 13: a server's key is made once, kept, and read by nobody else", () => {
  const path = join(tempFolder(), "identity.pem");
  const key = keepIdentityKey(path);
  expect(key).toMatch(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  expect(keepIdentityKey(path)).toBe(key);
  expect(readFileSync(path, "utf8")).toContain("PRIVATE KEY");
  if (process.platform !== "win32") expect(statSync(path).mode & 0o077).toBe(0);
  writeFileSync(path, "no key");
  expect(() => keepIdentityKey(path)).toThrow();
});

test("law: base 58 is a number written in other digits", () => {
  const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = base58(bytes);
      const value = text.split("").reduce((sum, letter) => sum * 58n + BigInt(letters.indexOf(letter)), 0n);
      expect(value).toBe(BigInt(`0x0${Buffer.from(bytes).toString("hex")}`));
      const zeros = [...bytes].findIndex((byte) => byte !== 0);
      expect(/^1*/.exec(text)?.[0].length).toBeGreaterThanOrEqual(zeros < 0 ? bytes.length : zeros);
    }),
  );
  expect(base58(Buffer.from("Hello World!"))).toBe("2NEpo7TZRRrLZSi2U");
});
