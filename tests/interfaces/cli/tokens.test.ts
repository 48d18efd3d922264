import { parseArgs } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Token, tokensOf } from "../../../src/interfaces/cli/tokens.ts";

const OPTIONS = { json: { type: "boolean" }, reason: { type: "string" }, "state-file": { type: "string" } } as const;
const takesValue = (name: string): boolean => name === "reason" || name === "state-file";

const word = fc.oneof(
  fc.constantFrom("--json", "--reason", "--reason=", "--reason=a=b", "--state-file", "--state-file=x", "--json=1"),
  fc.constantFrom("--other", "--other=x", "-h", "-", "--", "a", "run", "-5", "", "--=x", "--a b=c", "é", "---", "--é"),
  fc.string({ maxLength: 5 }).map((text) => `--${text}`),
  fc.string({ maxLength: 5 }).filter((text) => !text.startsWith("-")),
);

test("SPEC 10: command lines are taken apart as node:util does it", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      const { tokens } = parseArgs({
        args: argv,
        options: OPTIONS,
        strict: false,
        allowPositionals: true,
        tokens: true,
      });
      const expected = tokens.flatMap((token): Token[] => {
        if (token.kind === "option-terminator") return [];
        if (token.kind === "positional") return [{ kind: "positional", value: token.value }];
        const { kind, name, rawName, value, inlineValue } = token;
        return [{ kind, name, rawName, value, inlineValue: inlineValue ?? false }];
      });
      expect(tokensOf(argv, takesValue)).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
});

test("SPEC 10: letters behind one dash are one flag, which is then named whole", () => {
  expect(tokensOf(["-abc"], takesValue)).toEqual([
    { kind: "option", name: "abc", rawName: "-abc", value: undefined, inlineValue: false },
  ]);
});
