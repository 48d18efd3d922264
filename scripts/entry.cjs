#!/usr/bin/env node
// The executable. What every call needs lies in one file, its text and its compiled form (scripts/compile-hot.cjs):
// compiling would take longer than the work, and each further file, or looking a module up, costs 0.3 ms. V8 rejects
// a form that another version or other flags made; then, as without one, the text is compiled. Of Node's own functions each
// one that is used for the first time is compiled, too: 0.03 ms, for which a few are not used here.
"use strict";
const { readFileSync } = require("node:fs");
const { sep } = require("node:path");
const { Script } = require("node:vm");

const TEXT_AT = 4;
const folder = `${__dirname}${sep}cli${sep}`;

/** The function around what was built under that name; null: it has no image, or a damaged one. */
function fromImage(name) {
  try {
    const image = readFileSync(`${folder}${name}.image`);
    const codeAt = TEXT_AT + image[0] + image[1] * 0x100 + image[2] * 0x10000;
    // Of an empty file it is no number.
    if (!(codeAt < image.length)) return null;
    const code = new Uint8Array(image.buffer, image.byteOffset + codeAt, image.length - codeAt);
    return compiled(name, image.latin1Slice(TEXT_AT, codeAt), code);
  } catch {
    return null;
  }
}

function compiled(name, source, cachedData) {
  return new Script(source, { filename: `${folder}${name}.cjs`, cachedData }).runInThisContext();
}

/** The exit code, if the call was one of those that a small file of their own may answer, and it did; else null. */
function quickly(argv) {
  if (argv[0] !== "atom" || argv[1] !== "update") return null;
  const run = fromImage("quick");
  if (run === null) return null;
  const exports = {};
  run(exports, require);
  return exports.quick(argv);
}

const code = quickly(process.argv.slice(2));
if (code !== null) process.exit(code);

const file = `${folder}hot.cjs`;
const text = () => `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "utf8")}\n})`;
const run = fromImage("hot") ?? compiled("hot", text());
const hot = new module.constructor(file, module);
Object.assign(hot, { filename: file, paths: module.paths, loaded: true });
require.cache[file] = hot;
run.call(hot.exports, hot.exports, hot.require.bind(hot), hot, file, __dirname);
