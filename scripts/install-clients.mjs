// Installs the real agent clients that tests/e2e drives, pinned, into a cache folder. They are never a
// dependency (some 860 MB, one of them proprietary; with --slow some 1.2 GB): `node scripts/install-clients.mjs [--slow] [--only NAME] [folder]`, default
// node_modules/.cache/aot-clients. Prints the path of each client. AOT_E2E_CLAUDE=/path/to/claude (and so on) spares it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** `file`: where its program is below node_modules; a platform's own binary is there even where install scripts are blocked. */
const exe = process.platform === "win32" ? ".exe" : "";
const TARGETS = { linux: "unknown-linux-musl", darwin: "apple-darwin", win32: "pc-windows-msvc" };
const CPUS = { x64: "x86_64", arm64: "aarch64" };
const CLIENTS = [
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.329",
    file: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude${exe}`,
  },
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    file: `@openai/codex-${process.platform}-${process.arch}/vendor/${CPUS[process.arch]}-${TARGETS[process.platform]}/bin/codex${exe}`,
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    // Only with --slow, or by its name.
    slow: true,
    file: `opencode-${process.platform === "win32" ? "windows" : process.platform}-${process.arch}/bin/opencode${exe}`,
  },
  { name: "gemini", package: "@google/gemini-cli", version: "0.61.0", file: "@google/gemini-cli/bundle/gemini.js" },
];

const { values, positionals } = parseArgs({
  options: { only: { type: "string" }, slow: { type: "boolean", default: false } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(positionals[0] ?? join(root, "node_modules/.cache/aot-clients"));

const pathOf = (client) => join(folder, "node_modules", client.file);

mkdirSync(folder, { recursive: true });
// A package.json of its own, so that npm does not climb to the project's and change it.
writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
const wanted = CLIENTS.filter((client) =>
  values.only === undefined ? values.slow || client.slow !== true : client.name === values.only,
);
if (!wanted.every((client) => existsSync(pathOf(client)))) {
  // Those that are there too: what is not named is removed by npm.
  const named = CLIENTS.filter((client) => wanted.includes(client) || existsSync(pathOf(client)));
  const packages = named.map((client) => `${client.package}@${client.version}`);
  const npm = process.env["npm_execpath"] ?? join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  const run = existsSync(npm)
    ? spawnSync(process.execPath, [npm, ...args], { cwd: folder, stdio: ["ignore", 2, 2] })
    : spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  const missing = wanted.filter((client) => !existsSync(pathOf(client))).map(({ name }) => name);
  if (run.status !== 0 || missing.length > 0) {
    console.error(
      `${packages.join(" ")} could not be installed into ${folder} (npm exit ${run.status}; missing: ${missing.join(", ")}); is the registry reachable?`,
    );
    process.exit(1);
  }
}
for (const client of wanted) console.log(`${client.name} ${client.version} ${pathOf(client)}`);
