/** Names are bytes: none of them takes a file out of what a glob protects (SPEC section 6). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { protectedBy } from "../../../src/adapters/workspace/change.ts";
import { protectedIn } from "../../../src/adapters/workspace/protected-files.ts";
import { temporaryFolder } from "../../support/bundle.ts";

const LINE_ENDS = ["\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\v", "\t"];

test("SPEC 6: whatever characters a name below a protected folder holds, it is protected", () => {
  const part = fc
    .string({ unit: "binary", minLength: 1 })
    .filter((name) => !/[/\0]/.test(name) && !/^\.{1,2}$/.test(name));
  const odd = fc.tuple(part, fc.constantFrom(...LINE_ENDS), part).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(fc.oneof(part, odd), { minLength: 1, maxLength: 3 }), (names) => {
      expect(protectedBy(["test/**"])(`test/${names.join("/")}`)).toBe(true);
      expect(protectedBy(["test"])(`test/${names.join("/")}`)).toBe(true);
    }),
  );
});

test.runIf(process.platform === "linux")("SPEC 6: such a file is found among the protected files", () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "test"));
  for (const name of LINE_ENDS) writeFileSync(join(root, "test", `a${name}b.cjs`), "1\n");
  writeFileSync(Buffer.concat([Buffer.from(join(root, "test", "/")), Buffer.from([0x61, 0xff, 0xfe])]), "2\n");
  expect(protectedIn(root, ["test/**"])).toHaveLength(LINE_ENDS.length + 1);
});
