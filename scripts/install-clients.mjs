// Installs the real agent clients that tests/e2e drives, pinned, into a cache folder. They are never a
// dependency (361 MB, proprietary): `node scripts/install-clients.mjs [folder]`, default
// node_modules/.cache/aot-clients. Prints the path of each client. AOT_E2E_CLAUDE=/path/to/claude spares it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const CLIENTS = [{ name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.329" }];

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "node_modules/.cache/aot-clients"));

/** The platform's own binary: it is there even where install scripts are blocked. */
function binaryOf(client) {
  const exe = process.platform === "win32" ? ".exe" : "";
  return join(folder, "node_modules", `${client.package}-${process.platform}-${process.arch}`, client.name + exe);
}

mkdirSync(folder, { recursive: true });
// A package.json of its own, so that npm does not climb to the project's and change it.
writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
for (const client of CLIENTS) {
  if (!existsSync(binaryOf(client))) {
    const npm =
      process.env["npm_execpath"] ?? join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
    const args = [
      "install",
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      `${client.package}@${client.version}`,
    ];
    const run = existsSync(npm)
      ? spawnSync(process.execPath, [npm, ...args], { cwd: folder, stdio: ["ignore", 2, 2] })
      : spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
    if (run.status !== 0 || !existsSync(binaryOf(client))) {
      console.error(
        `${client.package}@${client.version} could not be installed into ${folder} (npm exit ${run.status}); is the registry reachable?`,
      );
      process.exit(1);
    }
  }
  console.log(`${client.name} ${client.version} ${binaryOf(client)}`);
}
