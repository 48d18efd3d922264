#!/usr/bin/env node
// The executable. What every call needs lies in one file, with its compiled form beside it (scripts/build-cli.mjs):
// compiling would take longer than the work. V8 rejects a form that another version or other flags made; then, as
// without one, the source is compiled.
"use strict";
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");

const file = require.resolve("./cli/hot.cjs");
let compiled;
try {
  compiled = readFileSync(`${file}.cache`);
} catch {
  // Built without one.
}
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`;
const script = new Script(source, { filename: file, cachedData: compiled });
const hot = new module.constructor(file, module);
Object.assign(hot, { filename: file, paths: module.paths, loaded: true });
require.cache[file] = hot;
script.runInThisContext().call(hot.exports, hot.exports, hot.require.bind(hot), hot, file, __dirname);
