import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  createTokenFile,
  makeToken,
  parseTokenList,
  RIGHTS,
} from "../../../../src/engines/adapters/front/front-tokens.ts";
import { tempFolder } from "../../../fixtures/programs.ts";

test("SPEC 13: who bears a token is the client it was made for, and any other text is nobody (T1, T2)", () => {
  const path = join(tempFolder(), "tokens");
  const made = RIGHTS.map((right) => ({ right, ...makeToken(`client-${right}`, right) }));
  writeFileSync(path, `# clients\n\n${made.map(({ line }) => `${line} # since May`).join("\r\n")}\n`);
  const file = createTokenFile(path, (problem) => expect.unreachable(problem));
  for (const { right, token, line } of made) {
    expect(line).not.toContain(token);
    expect(file.clientOf(`Bearer ${token}`)).toEqual({ name: `client-${right}`, right });
    expect(file.clientOf(`bearer ${token}`)).toEqual({ name: `client-${right}`, right });
    for (const wrong of [token, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, `Bearer  ${token}`])
      expect(file.clientOf(wrong)).toBeNull();
  }
  fc.assert(fc.property(fc.option(fc.string()), (text) => file.clientOf(text ?? undefined) === null));
  fc.assert(fc.property(fc.string(), (text) => file.clientOf(`Bearer ${text}`) === null));
});

test("SPEC 13: a token is revoked by taking its line out; a file that is gone lets nobody in (T3)", () => {
  const path = join(tempFolder(), "tokens");
  const [anna, bert] = [makeToken("anna", "steer"), makeToken("bert", "view")];
  writeFileSync(path, `${anna.line}\n${bert.line}\n`);
  const reported: string[] = [];
  const file = createTokenFile(path, (problem) => reported.push(problem));
  expect(file.clientOf(`Bearer ${anna.token}`)?.name).toBe("anna");
  writeFileSync(path, `${bert.line}\n`);
  expect(file.clientOf(`Bearer ${anna.token}`)).toBeNull();
  expect(file.clientOf(`Bearer ${bert.token}`)?.name).toBe("bert");
  writeFileSync(path, `${bert.line}\ncarl everything sha256:00\n`);
  expect(file.clientOf(`Bearer ${bert.token}`)?.name).toBe("bert");
  expect(reported).toEqual([expect.stringMatching(/tokens:2 is no client: write NAME/)]);
  rmSync(path);
  expect(file.clientOf(`Bearer ${bert.token}`)).toBeNull();
  expect(reported.at(-1)).toContain("nobody is let in");
  writeFileSync(path, `${anna.line}\n`);
  chmodSync(path, 0o600);
  expect(file.clientOf(`Bearer ${anna.token}`)?.name).toBe("anna");
});

test("law: whatever the file holds, reading it never fails, and each entry stands for a line of its own", () => {
  const word = fc.oneof(fc.string(), fc.constantFrom("anna", "view", `sha256:${"0".repeat(64)}`, "#", " "));
  const text = fc.array(fc.array(word).map((words) => words.join(" "))).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, (given) => {
      const { entries, problems } = parseTokenList(given, "f");
      expect(entries.length + problems.length).toBeLessThanOrEqual(given.split("\n").length);
      expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
    }),
  );
});

test("a name that is twice counts once, so that what is taken out is gone", () => {
  const [one, two] = [makeToken("anna", "view"), makeToken("anna", "steer")];
  const { entries, problems } = parseTokenList(`${one.line}\n${two.line}`, "f");
  expect(entries.map(({ right }) => right)).toEqual(["view"]);
  expect(problems).toEqual(["f:2: there is a client anna already"]);
});
