/** docs/cli.md is what the table says. `npx vitest run tests/interfaces/cli/reference.test.ts --update` writes it anew. */
import { expect, test } from "vitest";
import { referenceMarkdown } from "../../../src/interfaces/cli/reference.ts";
import type { CommandSpec } from "../../../src/command/spec.ts";
import { AOT } from "../../../src/aot.ts";

function flagsOf(command: CommandSpec): string[] {
  return [...(command.flags ?? []).map((flag) => flag.name), ...(command.commands ?? []).flatMap(flagsOf)];
}

test("SPEC 10: docs/cli.md holds every command and every flag", async () => {
  const text = referenceMarkdown(AOT);
  for (const name of flagsOf(AOT)) expect(text).toContain(`--${name}`);
  await expect(text).toMatchFileSnapshot("../../../docs/cli.md");
});

test("SPEC 10: every command that can be run says there what it does to the loop", () => {
  const commands = (spec: CommandSpec, path: readonly string[]): (readonly [string, CommandSpec])[] => [
    [path.join(" "), spec],
    ...(spec.commands ?? []).flatMap((child) => commands(child, [...path, child.name])),
  ];
  const text = referenceMarkdown(AOT);
  for (const [name, { load, effect }] of (AOT.commands ?? []).flatMap((command) =>
    commands(command, ["aot", command.name]),
  )) {
    if (load === undefined) continue;
    const from = text.indexOf(`# \`${name}\`\n`);
    expect(from, name).toBeGreaterThan(0);
    const own = text.slice(from, text.indexOf("\n#", from + 3));
    expect(own, name).toContain(`Effect: \`${effect}\``);
  }
});
