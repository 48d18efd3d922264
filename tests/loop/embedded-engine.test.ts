import { systemClock } from "../../src/project/clock.ts";
import { createEmbeddedEngine } from "../../world/embedded-engine.ts";
import { engineContract } from "../contracts/engine.ts";

engineContract({
  name: "embedded",
  open: async (script) => createEmbeddedEngine({ clock: systemClock, open: (task) => script.open(task) }),
});
