/** docs/cli.md is what the table says. `npx vitest run tests/faces/cli/reference.test.ts --update` writes it anew. */
import { expect, test } from "vitest";
import { referenceMarkdown } from "../../../src/faces/cli/reference.ts";
import type { CommandSpec } from "../../../src/commands/spec.ts";
import { AOT } from "../../../src/aot.ts";

function flagsOf(command: CommandSpec): string[] {
  return [...(command.flags ?? []).map((flag) => flag.name), ...(command.commands ?? []).flatMap(flagsOf)];
}

test("SPEC 10: docs/cli.md holds every command and every flag", async () => {
  const text = referenceMarkdown(AOT);
  for (const name of flagsOf(AOT)) expect(text).toContain(`--${name}`);
  await expect(text).toMatchFileSnapshot("../../../docs/cli.md");
});
