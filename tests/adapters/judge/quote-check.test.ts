import { symlinkSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { inScope, lookAtFiles } from "../../../src/adapters/judge/checkout-files.ts";
import { falseQuote, NEAR, quoteProblem, SHORTEST } from "../../../src/adapters/judge/quote-check.ts";
import { sharedFolder } from "./folders.ts";

const line = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !/[\n\r]/.test(text) && text.trim() !== "");
const file = fc.array(line, { minLength: 1, maxLength: 40 });

test("SPEC 6, law QUOTE-CHECK-1: what was copied from near the named line stands, whatever its white space", () => {
  const copied = file.chain((lines) =>
    fc
      .record({
        at: fc.nat(lines.length - 1),
        count: fc.integer({ min: 1, max: 4 }),
        off: fc.integer({ min: -NEAR, max: NEAR }),
      })
      .map((pick) => ({ lines, ...pick })),
  );
  fc.assert(
    fc.property(copied, fc.constantFrom("\n", "\r\n"), ({ lines, at, count, off }, ending) => {
      const text = lines
        .slice(at, at + count)
        .map((one) => `\t${one.replaceAll(" ", "  ")}  `)
        .join("\n");
      const quote = { file: "f", line: Math.max(1, at + 1 + off), text };
      fc.pre(/[^\s\u0000-\u001f\u007f-\u009f]/.test(text));
      expect(quoteProblem(quote, lines.join(ending))).toBeNull();
      const numbered = text.split("\n").map((one, i) => `${at + 1 + i}| ${one}`);
      expect(quoteProblem({ ...quote, text: numbered.join("\n") }, lines.join(ending))).toBeNull();
    }),
  );
});

test("SPEC 6, law QUOTE-CHECK-1: what is not in the file does not stand, and neither does what stands elsewhere in it", () => {
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 60 }), (lines, at) => {
      const text = "§ nothing of this kind §";
      expect(quoteProblem({ file: "f", line: at, text }, lines.join("\n"))).toContain("not in the file");
      const far = [...lines, ...Array.from({ length: 2 * NEAR }, () => "."), text];
      expect(quoteProblem({ file: "f", line: far.length, text }, far.join("\n"))).toBeNull();
      expect(quoteProblem({ file: "f", line: far.length - NEAR - 1, text }, far.join("\n"))).not.toBeNull();
    }),
  );
});

test("SPEC 6, QUOTE-CHECK-2: a few letters count as a whole line only, and an empty quote never", () => {
  const text = "const a = {\n}\nconst b = 2;\n";
  const at = (quoted: string): string | null => quoteProblem({ file: "f", line: 2, text: quoted }, text);
  expect("const".length).toBeLessThan(SHORTEST);
  expect(at("}")).toBeNull();
  for (const few of ["const", "a", "= {", "", " \n ", "2| "]) expect(at(few), JSON.stringify(few)).not.toBeNull();
});

test("SPEC 6, CHECKOUT-FILES-2 and CHECKOUT-FILES-3: quotes from outside, through links, or from the loop's and git's own files do not stand", async () => {
  const outside = sharedFolder({ "secret.txt": "a secret of the machine" }, onTestFinished);
  const dir = sharedFolder(
    {
      "src/a.ts": "export const a = 1;",
      ".git/HEAD": "ref: refs/heads/main",
      ".claude/aot-loop/journal.jsonl": '{"summary": "very good work"}',
      ".claude/loops/x/01-A.md": "very good work",
      "image.bin": Buffer.from([1, 0, 2]),
    },
    onTestFinished,
  );
  symlinkSync(outside, join(dir, "folder"));
  symlinkSync(join(outside, "secret.txt"), join(dir, "file.txt"));
  const files = await lookAtFiles(dir);
  expect(files.paths).toEqual(["image.bin", "src/a.ts"]);
  const stands = async (path: string, text: string): Promise<boolean> =>
    (await falseQuote([{ file: path, line: 1, text }], files)) === null;
  for (const path of ["src/a.ts", "./src/a.ts", "src/../src/a.ts", join(dir, "src/a.ts")])
    expect(await stands(path, "export const a = 1;"), path).toBe(true);
  for (const path of ["folder/secret.txt", "file.txt", join(outside, "secret.txt"), "../secret.txt"])
    expect(await stands(path, "a secret of the machine"), path).toBe(false);
  expect(await stands(".git/HEAD", "ref: refs/heads/main")).toBe(false);
  expect(await stands(".claude/aot-loop/journal.jsonl", '{"summary": "very good work"}')).toBe(false);
  expect(await stands(".claude/loops/x/01-A.md", "very good work")).toBe(false);
  expect(await files.read("image.bin")).toEqual({ ok: false, why: "it is not text" });
});

test.each<[string, string[]]>([
  ["src/**/*.ts", ["src/a.ts", "src/deep/b.ts"]],
  ["src", ["src/a.ts", "src/b.js", "src/deep/b.ts"]],
  ["./src/", ["src/a.ts", "src/b.js", "src/deep/b.ts"]],
  ["src/*.{ts,js}, docs/**", ["docs/x.md", "src/a.ts", "src/b.js"]],
  ["src/**, !src/deep", ["src/a.ts", "src/b.js"]],
  ["!src", ["docs/x.md", "README.md"]],
  ["README.md", ["README.md"]],
  ["lib/**", []],
])("SPEC 6: the scope %s", (scope, expected) => {
  const paths = ["docs/x.md", "README.md", "src/a.ts", "src/b.js", "src/deep/b.ts"];
  expect(inScope(paths, scope)).toEqual(expected);
});
