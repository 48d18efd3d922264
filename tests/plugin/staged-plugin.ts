/** The plugin as it is installed, with the bundle built from the sources as they are now. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/bundle.ts";

interface Builder {
  buildPlugin(file: string): Promise<void>;
}

/** @returns a folder with the marketplace files, `plugin/` and `plugin-codex/`, removed after the test file */
export async function stagePlugin(): Promise<string> {
  const dir = temporaryFolder();
  for (const name of [".agents", ".claude-plugin"]) cpSync(name, join(dir, name), { recursive: true });
  cpSync("plugin", join(dir, "plugin"), { recursive: true, filter: (path) => path !== join("plugin", "lib") });
  await buildBundle(join(dir, "plugin", "lib", "aot.cjs"));
  return dir;
}

async function buildBundle(file: string): Promise<void> {
  const script: string = new URL("../../scripts/build-plugin.mjs", import.meta.url).href;
  const builder = (await import(script)) as Builder;
  await builder.buildPlugin(file);
}
