/** SPEC sections 2 and 8: an agent can put anything in the place of what the loop keeps for itself. */
import { beforeAll, expect, test } from "vitest";
import { bundleFixture, startWorker, temporaryFolder } from "../../support/bundle.ts";

const OPERATIONS =
  "journal requests store run_lock state_lock session detached guardian checkout log firings rules_mark".split(" ");

let program = "";
beforeAll(async () => {
  program = await bundleFixture("store/replaced-files.ts");
});

test.skipIf(process.platform === "win32").each(OPERATIONS)(
  "whatever is in the place of a file or folder (%s): nothing outside changes, nothing waits, nothing throws",
  async (operation) => {
    const worker = startWorker(program, temporaryFolder(), operation);
    const lines: unknown[] = [];
    for (let line = await worker.line(); line !== "over"; line = await worker.line()) lines.push(JSON.parse(line));
    expect(lines).toHaveLength(12);
    for (const line of lines) expect(line).toMatchObject({ changed: false });
  },
  60_000,
);
