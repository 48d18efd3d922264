// Builds dist/: the library as plain ES modules with types (tsc), and the command as lazily loaded
// CommonJS chunks (rolldown): a hook and every `aot` call pay for the bytes that they load.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { rmSync } from "node:fs";
import { buildCli } from "./build-cli.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("dist", { recursive: true, force: true });

const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.lib.json"], { stdio: "inherit" });
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

await buildCli("dist");
