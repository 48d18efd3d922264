#!/usr/bin/env node
// The executable. What every call needs lies in one file, its text and its compiled form (scripts/compile-hot.cjs):
// compiling would take longer than the work, and each further file, or looking a module up, costs 0.3 ms. V8 rejects
// a form that another version or other flags made; then, as without one, the text is compiled.
"use strict";
const { readFileSync } = require("node:fs");
const { sep } = require("node:path");
const { Script } = require("node:vm");

const TEXT_AT = 4;
const folder = `${__dirname}${sep}cli${sep}`;
const file = `${folder}hot.cjs`;
let source;
let compiled;
try {
  const image = readFileSync(`${folder}hot.image`);
  const codeAt = TEXT_AT + image.readUInt32LE(0);
  if (codeAt < image.length) {
    source = image.latin1Slice(TEXT_AT, codeAt);
    compiled = image.subarray(codeAt);
  }
} catch {
  // Built without one, or damaged.
}
source ??= `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`;
const script = new Script(source, { filename: file, cachedData: compiled });
const hot = new module.constructor(file, module);
Object.assign(hot, { filename: file, paths: module.paths, loaded: true });
require.cache[file] = hot;
script.runInThisContext().call(hot.exports, hot.exports, hot.require.bind(hot), hot, file, __dirname);
