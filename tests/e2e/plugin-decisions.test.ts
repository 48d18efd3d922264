/**
 * What a person decides, typed by the model, in the real Claude Code (SPEC section 10): the person is asked whatever else is
 * allowed; where nobody can be asked it is denied, with the way.
 */
import { existsSync } from "node:fs";
import { describe, expect } from "vitest";
import { eventually } from "../support/bundle.ts";
import { bash, say, withPlugin, type SetStage, type Stage } from "./plugin-client.ts";
import { inEachMode, LIMIT_MS, sitDown } from "./plugin-seat.ts";

withPlugin(suite);

const ALIGN = 'aot align "The file is there" --check "file: made.txt" --yes';
const ALLOWED = ["--allowedTools", "Bash"];

function suite(stage: SetStage): void {
  /** The model types the decision once, and is then done; `again` has it do so once more. */
  const decides = ({ play }: Stage): { again(): void; heard(): string } => {
    let heard = "";
    let armed = true;
    play(({ tools, last }) => {
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

  describe("DECISION-1: a decision of a person's, typed by the model", () => {
    inEachMode(
      "every shell command is allowed: the person is asked; no keeps it from happening, yes lets it",
      async (mode) => {
        const place = await stage();
        const { again, heard } = decides(place);
        const person = await sitDown(place, mode, ...ALLOWED);
        await person.says("go");
        await person.sees("for you to decide");
        expect(aligned(place)).toBe(false);
        person.presses("\u001b");
        await person.sees("What should Claude do instead");
        expect([aligned(place), heard()]).toEqual([false, ""]);
        again();
        await person.says("once more");
        await person.agrees();
        await eventually("it is aligned", () => aligned(place), LIMIT_MS);
      },
    );
  });
}
