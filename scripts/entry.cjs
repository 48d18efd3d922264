#!/usr/bin/env node
// The executable. What every call needs lies in one file, its text and its compiled form (scripts/compile-hot.cjs):
// compiling would take longer than the work, and each further file, or looking a module up, costs 0.3 ms. A form that
// another Node made is not used: the text is compiled. V8 rejects some of them by itself, but not all: it compares its own
// version without Node's patches, and dies of a form that another patch of the same V8 made. Of Node's own functions each
// one that is used for the first time is compiled, too: 0.03 ms, for which a few are not used here.
"use strict";
const { readFileSync } = require("node:fs");
const { sep } = require("node:path");
const { Script } = require("node:vm");

const HEAD = 4;
const MAKER = `${process.version} ${process.platform} ${process.arch}`;
const folder = `${__dirname}${sep}cli${sep}`;

/** The function around what was built under that name; null: it has no image, or a damaged one. */
function fromImage(name) {
  try {
    const image = readFileSync(`${folder}${name}.image`);
    const textAt = HEAD + image[3];
    const codeAt = textAt + image[0] + image[1] * 0x100 + image[2] * 0x10000;
    // Of an empty file it is no number.
    if (!(codeAt < image.length)) return null;
    const text = image.latin1Slice(textAt, codeAt);
    if (image.latin1Slice(HEAD, textAt) !== MAKER) return compiled(name, text);
    return compiled(name, text, new Uint8Array(image.buffer, image.byteOffset + codeAt, image.length - codeAt));
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
