// Builds dist/: the library as plain ES modules with types (tsc), and the command as lazily loaded
// CommonJS chunks (rolldown): a hook and every `aot` call pay for the bytes that they load. Into the default folder it
// builds what the plugin runs, too.
//   node scripts/build.mjs [folder]   default dist
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { buildCli } from "./build-cli.mjs";
import { buildPlugin } from "./build-plugin.mjs";

const out = resolve(process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url)));
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync(out, { recursive: true, force: true });

// Comments are for who reads the types.
for (const how of [["--emitDeclarationOnly"], ["--declaration", "false", "--removeComments"]]) {
  const args = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.lib.json", "--outDir", `${out}/lib`, ...how];
  const tsc = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (tsc.status !== 0) process.exit(tsc.status ?? 1);
}

await buildCli(out);
if (process.argv[2] === undefined) await buildPlugin(resolve("plugin/lib/aot.cjs"));
