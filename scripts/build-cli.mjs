// The command as CommonJS chunks. Every `aot` call pays for each file and each byte that it loads: what the
// two commands that a coordinator calls most need is one file, everything else is loaded when it is used.
import { chmodSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const HOT = [
  "src/faces/cli/main.ts",
  "src/faces/cli/io.ts",
  "src/faces/cli/commands/atom-update.ts",
  "src/faces/cli/commands/state-show.ts",
];

/** @param dir where bin.cjs and cli/*.cjs go; a folder below the package, so that its dependencies are found */
export async function buildCli(dir) {
  const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const hot = closureOf(HOT.map((file) => resolve(root, file)));
  const bundle = await rolldown({
    input: { bin: resolve(root, "src/bin.ts") },
    platform: "node",
    external: [/^node:/, ...Object.keys(dependencies)],
  });
  await bundle.write({
    dir,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "cli/[name].cjs",
    minify: true,
    banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
    codeSplitting: { groups: [{ name: "hot", test: (id) => hot.has(id) }] },
  });
  await bundle.close();
  chmodSync(`${dir}/bin.cjs`, 0o755);
}

/** The files that these import, directly or not; types and lazy imports not counted. */
function closureOf(entries) {
  const found = new Set(entries);
  for (const file of found) {
    const source = readFileSync(file, "utf8");
    for (const [, clause, path] of source.matchAll(/^(?:import|export)\s([^;"']*?)from\s+"(\.[^"]+)"/gm)) {
      if (!/^type\s/.test(clause)) found.add(resolve(dirname(file), path));
    }
  }
  return found;
}
