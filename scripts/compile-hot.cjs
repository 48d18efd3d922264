// Makes the compiled form of what every call of the command loads: runs the commands that are called most, and
// keeps the functions that they needed. Run by build-cli.mjs in a process of its own: node compile-hot.cjs DIST
// Writes cli/NAME.image: length of the text (24 bits, little-endian) and of the maker's name (8 bits), that name (the Node
// that reads this form: version, platform, architecture), text (ASCII), compiled form.
"use strict";
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { Script } = require("node:vm");

const dist = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "aot-build-"));
const state = join(folder, "state.md");
writeFileSync(state, readFileSync(join(__dirname, "sample-state.md")));

const hot = scriptOf("hot", "exports, require, module, __filename, __dirname");
const quick = scriptOf("quick", "exports, require");

function scriptOf(name, parameters) {
  const source = `(function (${parameters}) {${readFileSync(join(dist, "cli", `${name}.cjs`), "utf8")}\n})`;
  // Not the whole path: the compiled form would tell where it was built. The entry names the file when it loads it.
  return { name, source, script: new Script(source, { filename: `${name}.cjs` }) };
}

function keep({ name, source, script }) {
  const text = Buffer.from(source, "latin1");
  const maker = Buffer.from(`${process.version} ${process.platform} ${process.arch}`, "latin1");
  const head = Buffer.alloc(4);
  head.writeUIntLE(text.length, 0, 3);
  head.writeUInt8(maker.length, 3);
  writeFileSync(join(dist, "cli", `${name}.image`), Buffer.concat([head, maker, text, script.createCachedData()]));
}

// The command ends the process; here it must not.
const ended = { code: undefined };
process.exit = (code) => {
  ended.code = code;
};

async function call(...args) {
  const file = join(dist, "cli", "hot.cjs");
  process.argv = [process.execPath, "aot", ...args, "--state-file", state, "--json"];
  const loaded = new module.constructor(file, module);
  Object.assign(loaded, { filename: file, paths: module.paths, loaded: true });
  require.cache[file] = loaded;
  ended.code = undefined;
  hot.script.runInThisContext().call(loaded.exports, loaded.exports, loaded.require.bind(loaded), loaded, file, dist);
  for (let turns = 0; ended.code === undefined && turns < 10_000; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  if (ended.code !== 0) throw new Error(`aot ${args.join(" ")} failed with ${ended.code}`);
}

function callQuickly(...args) {
  const exports = {};
  quick.script.runInThisContext()(exports, require);
  if (exports.quick([...args, "--state-file", state, "--json"]) !== 0)
    throw new Error(`aot ${args.join(" ")} was not quick`);
}

async function main() {
  try {
    await call("state", "show");
    await call("atom", "update", "A2", "in_progress");
    mkdirSync(`${state}.aot-loop`);
    await call("atom", "update", "A2", "resolved");
    callQuickly("atom", "update", "A3", "in_progress");
    callQuickly("atom", "update", "A3", "resolved");
    keep(hot);
    keep(quick);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
