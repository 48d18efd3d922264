// Builds dist/: the library as plain ES modules with types (tsc), and the command as lazily loaded
// CommonJS chunks (rolldown): a hook and every `aot` call pay for the bytes that they load.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { rolldown } from "rolldown";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("dist", { recursive: true, force: true });

const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.lib.json"], { stdio: "inherit" });
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

if (existsSync("src/bin.ts")) {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const bundle = await rolldown({
    input: { bin: "src/bin.ts" },
    platform: "node",
    external: [/^node:/, ...Object.keys(dependencies)],
  });
  await bundle.write({ dir: "dist", format: "cjs", entryFileNames: "[name].cjs", chunkFileNames: "cli/[name].cjs", minify: true, banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : "") });
  chmodSync("dist/bin.cjs", 0o755);
}
