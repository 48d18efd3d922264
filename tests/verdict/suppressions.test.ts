/** What the work tells tools to pass over is shown (SPEC section 6). */
import { expect, test } from "vitest";
import { suppressionsAdded } from "../../src/verdict/suppressions.ts";

test.each([
  ["a.ts", "// @ts-nocheck", "@ts-nocheck"],
  ["a.js", "/* c8 ignore next 3 */", "c8 ignore"],
  ["a.py", "x = y  # type: ignore", "type: ignore"],
  ["a.py", "import os  # noqa: F401", "noqa"],
  ["a.py", "# pragma: no cover", "pragma: no cover"],
  ["a.py", "# ruff: noqa", "ruff: noqa"],
  ["a.py", "# pylint: skip-file", "pylint: skip-file"],
  ["a.md", "<!-- markdownlint-disable -->", "markdownlint-disable"],
  ["a.go", "//nolint:errcheck", "nolint"],
  ["a.rs", "#[allow(dead_code)]", "#[allow(dead_code)]"],
])("%s: %s", async (path, line, said) => {
  const texts = (text: string) => ({
    changed: [path],
    before: () => Promise.resolve("x\n"),
    now: () => `x\n${text}\n`,
  });
  expect(await suppressionsAdded(texts(line))).toEqual([`${path} (${said})`]);
  expect(await suppressionsAdded({ ...texts(line), before: () => Promise.resolve(`${line}\n`) })).toEqual([]);
  expect(await suppressionsAdded(texts("// ignore the case of names, and disable nothing"))).toEqual([]);
});
