import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleSource } from "../scripts/bundle-source.mjs";

/** @returns all of `machine.ts`; its program is left in `folder` */
export async function bundledMachine(folder) {
  const file = join(folder, "machine.mjs");
  await bundleSource("benches/machine.ts", file);
  return await import(pathToFileURL(file).href);
}
