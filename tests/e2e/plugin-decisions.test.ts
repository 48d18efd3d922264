/**
 * What a person decides, typed by the model, in the real Claude Code (SPEC section 10): the person is asked whatever else is
 * allowed; where nobody can be asked it is denied, with the way.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stagePlugin } from "../plugin/staged-plugin.ts";
import { eventually } from "../support/bundle.ts";
import { whyNoTerminal } from "../support/terminal.ts";
import { withClient } from "./clients.ts";
import { bash, say, stage, startModel, type Model, type Stage } from "./plugin-client.ts";
import { agrees, LIMIT_MS, shows, sitDown, types } from "./plugin-seat.ts";

withClient("claude", suite);

const ALIGN = 'aot align "The file is there" --check "file: made.txt" --yes';
const ALLOWED = ["--allowedTools", "Bash"];

function suite(client: string): void {
  let model: Model;
  let plugin: string;
  beforeAll(async () => {
    plugin = join(await stagePlugin(), "plugin");
    model = await startModel();
  });
  afterAll(() => model.stop());

  /** The model types the decision once, and is then done; `again` has it do so once more. */
  const decides = (): { again(): void; heard(): string } => {
    let heard = "";
    let armed = true;
    model.play(({ system, tools, last }) => {
      if (system.includes("You are a security monitor")) return say("<severity>0</severity>");
      if (!tools.includes("Bash")) return say("");
      if (armed) {
        armed = false;
        return bash(ALIGN);
      }
      heard = last;
      return say("DONE");
    });
    return { again: () => void (armed = true), heard: () => heard };
  };
  const aligned = ({ state }: Stage): boolean => existsSync(state);

  describe("DECISION-1: a decision of a person's, typed by the model", { timeout: 180_000 }, () => {
    test.skipIf(whyNoTerminal() !== null).each(["default", "acceptEdits", "auto"])(
      "%s, and every shell command allowed: the person is asked; no keeps it from happening, yes lets it",
      async (mode) => {
        const place = stage(client, plugin, model, null);
        const { again, heard } = decides();
        const terminal = await sitDown({ client, plugin, model }, place, mode, ...ALLOWED);
        await types(terminal, "go");
        await shows(terminal, "for you to decide");
        expect(aligned(place)).toBe(false);
        terminal.type("\u001b");
        await shows(terminal, "What should Claude do instead");
        expect([aligned(place), heard()]).toEqual([false, ""]);
        again();
        await types(terminal, "once more");
        await agrees(terminal);
        await eventually("it is aligned", () => aligned(place), LIMIT_MS);
      },
    );

    test("-p, and every shell command allowed: denied with the way, which is the person's", async () => {
      const place = stage(client, plugin, model, null);
      const { heard } = decides();
      await place.claude("go", ...ALLOWED);
      expect(heard()).toContain("AOT_DECISIONS=allow");
      expect(aligned(place)).toBe(false);
      const agreed = stage(client, plugin, model, null, { AOT_DECISIONS: "allow" });
      decides();
      await agreed.claude("go", ...ALLOWED);
      expect(aligned(agreed)).toBe(true);
    });
  });
}
