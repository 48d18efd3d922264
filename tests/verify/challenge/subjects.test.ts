/** Which files a challenge breaks: what the checks are about, never what decides (SPEC section 6). */
import { expect, test } from "vitest";
import { isSubject, relatedTo, testsNamed } from "../../../src/verify/challenge/subjects.ts";

const FILES =
  "README.md lib/router/index.js lib/utils.js src/sum.py test/utils.js tests/test_sum.py vitest.config.ts".split(" ");

test("tests, configuration and what is no program are never broken", () => {
  expect(FILES.filter(isSubject)).toEqual(["lib/router/index.js", "lib/utils.js", "src/sum.py"]);
});

test("what is named counts; else what its name is said of; else all", () => {
  expect(relatedTo(FILES, "repair lib/router/index.js, not utils")).toEqual(["lib/router/index.js"]);
  expect(relatedTo(FILES, "the sum is wrong")).toEqual(["src/sum.py"]);
  expect(relatedTo(FILES, "make it work")).toEqual(["lib/router/index.js", "lib/utils.js", "src/sum.py"]);
  expect(testsNamed(FILES, "pytest tests/test_sum.py")).toEqual(["tests/test_sum.py"]);
});
