/** How the settings say that worktrees are made usable. */
import { parseDuration } from "../core/fuel.ts";
import type { Preparation } from "../adapters/workspace/prepared-workspace.ts";
import type { Settings } from "./config-schema.ts";

const TIMEOUT_MS = 10 * 60_000;
const PORT_BASE = 4_100;

export function setUpOf({
  setup = [],
  setup_timeout,
  port_base = PORT_BASE,
}: Settings): Pick<Preparation, "commands" | "timeout_ms" | "port_base"> {
  const timeout_ms = (setup_timeout === undefined ? null : parseDuration(setup_timeout)) ?? TIMEOUT_MS;
  return { commands: setup, timeout_ms, port_base };
}
