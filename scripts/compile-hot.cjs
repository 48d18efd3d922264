// Makes the compiled form of what every call of the command loads: runs the two commands that are called most, and
// keeps the functions that they needed. Run by build-cli.mjs in a process of its own: node compile-hot.cjs DIST
// Writes cli/hot.image: length of the text (32 bits, little-endian), text (ASCII), compiled form.
"use strict";
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { Script } = require("node:vm");

const dist = process.argv[2];
const file = join(dist, "cli", "hot.cjs");
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`;
// Not the whole path: the compiled form would tell where it was built. The entry names the file when it loads it.
const script = new Script(source, { filename: "hot.cjs" });

const folder = mkdtempSync(join(tmpdir(), "aot-build-"));
const state = join(folder, "state.md");
writeFileSync(state, readFileSync(join(__dirname, "sample-state.md")));

// The command ends the process; here it must not.
const ended = { code: undefined };
process.exit = (code) => {
  ended.code = code;
};

async function call(...args) {
  process.argv = [process.execPath, "aot", ...args, "--state-file", state, "--json"];
  const hot = new module.constructor(file, module);
  Object.assign(hot, { filename: file, paths: module.paths, loaded: true });
  require.cache[file] = hot;
  ended.code = undefined;
  script.runInThisContext().call(hot.exports, hot.exports, hot.require.bind(hot), hot, file, dist);
  for (let turns = 0; ended.code === undefined && turns < 10_000; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  if (ended.code !== 0) throw new Error(`aot ${args.join(" ")} failed with ${ended.code}`);
}

async function main() {
  try {
    await call("state", "show");
    await call("atom", "update", "A2", "in_progress");
    await call("atom", "update", "A2", "resolved");
    const text = Buffer.from(source, "latin1");
    const head = Buffer.alloc(4);
    head.writeUInt32LE(text.length);
    writeFileSync(join(dist, "cli", "hot.image"), Buffer.concat([head, text, script.createCachedData()]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
