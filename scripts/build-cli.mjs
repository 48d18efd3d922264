// The command as lazily loaded CommonJS chunks: every `aot` call pays for the bytes that it loads.
import { chmodSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param dir where bin.cjs and cli/*.cjs go; a folder below the package, so that its dependencies are found */
export async function buildCli(dir) {
  const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const bundle = await rolldown({
    input: { bin: `${root}/src/bin.ts` },
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
  });
  await bundle.close();
  chmodSync(`${dir}/bin.cjs`, 0o755);
}
