/**
 * What the stall and the reach bench work with: parts of the product, and the world around them. The benches have it as one
 * program, bundled from these sources (bundled-machine.mjs); the tests import it.
 */
export { lessonsAtFirst } from "../src/core/base-case-end.ts";
export { createLoop } from "../src/core/loop.ts";
export { step } from "../src/core/step.ts";
export { judge } from "../src/core/verdict.ts";
export { briefText } from "../src/loop/brief.ts";
export { createCoordinator } from "../src/loop/coordinator.ts";
export * from "../world/ports.ts";
export * from "../world/world.ts";
