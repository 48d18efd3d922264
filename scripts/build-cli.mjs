// The command as CommonJS chunks. Every `aot` call pays for each file and each byte that it loads: what the
// two commands that a coordinator calls most need is one file, kept with its compiled form beside it; everything else
// is loaded when it is used.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { buildPage } from "./build-page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const HOT = [
  "src/bin.ts",
  "src/commands/run/atom-update.ts",
  "src/commands/run/state-show.ts",
  // An update that resolves an atom is journaled.
  "src/app/journal-by-hand.ts",
];

/** @param dir where bin.cjs, cli/*.cjs and dashboard/ go; a folder below the package, so that its dependencies are found */
export async function buildCli(dir) {
  const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const hot = closureOf(HOT.map((file) => resolve(root, file)));
  const bundle = await rolldown({
    input: { hot: resolve(root, "src/bin.ts") },
    platform: "node",
    resolve: { alias: { "@modelcontextprotocol/server/_shims": resolve(root, "scripts/mcp-shims.mjs") } },
    external: [/^node:/, ...Object.keys(dependencies)],
    // What is hot is in one file even where it is imported lazily: meant so.
    onLog: (level, log, tell) => {
      if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") tell(level, log);
    },
  });
  const { output } = await bundle.write({
    dir,
    format: "cjs",
    entryFileNames: "cli/[name].cjs",
    chunkFileNames: "cli/[name].cjs",
    minify: true,
    codeSplitting: { groups: [{ name: "hot", test: (id) => hot.has(id) }] },
  });
  await bundle.close();
  for (const chunk of output) addLicences(`${dir}/${chunk.fileName}`, chunk.moduleIds ?? []);
  const source = exportingLate(inAscii(withRuntime(readFileSync(`${dir}/cli/hot.cjs`, "utf8"), dir)));
  if (/\bimport\(/.test(source))
    throw new Error("hot.cjs has an import(): what runs from its compiled form cannot do that");
  writeFileSync(`${dir}/cli/hot.cjs`, source);
  await buildQuick(dir);
  copyFileSync(resolve(root, "scripts/entry.cjs"), `${dir}/bin.cjs`);
  chmodSync(`${dir}/bin.cjs`, 0o755);
  const compiled = spawnSync(process.execPath, [resolve(root, "scripts/compile-hot.cjs"), resolve(dir)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (compiled.status !== 0) throw new Error("the command cannot be compiled");
  await buildPage(`${dir}/dashboard`);
}

/** What answers the update of an atom that is known already (src/faces/cli/quick.ts): all of it in one small file. */
async function buildQuick(dir) {
  const bundle = await rolldown({
    input: resolve(root, "src/faces/cli/quick.ts"),
    platform: "node",
    external: /^node:/,
  });
  const file = `${dir}/cli/quick.cjs`;
  await bundle.write({ file, format: "cjs", minify: true, codeSplitting: false });
  await bundle.close();
  writeFileSync(file, inAscii(readFileSync(file, "utf8")));
}

/** A chunk that holds other packages' code carries their licences, as these want it. */
function addLicences(file, moduleIds) {
  const folders = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  if (folders.size === 0) return;
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/LICENSE`, "utf8").trim()}`;
  });
  writeFileSync(file, `${readFileSync(file, "utf8")}\n/*!\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/\n`);
}

/** The entry takes a byte for a character, which is the fastest way to read a text. Such characters stand in literals only. */
function inAscii(source) {
  return source.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The bundler's own helpers are a file of their own, whatever the groups say: put in place of the call that loads it. */
function withRuntime(source, dir) {
  return source.replace(/\brequire\((["'`])\.\/(rolldown-runtime\.cjs)\1\)/g, (_, __, name) => {
    const runtime = readFileSync(`${dir}/cli/${name}`, "utf8");
    return `(()=>{const exports={};${runtime}\nreturn exports})()`;
  });
}

/** Other files want some 300 names of it, a call that loads none of them wants none: making them takes 0.5 ms. */
function exportingLate(source) {
  const name = String.raw`exports\.[\w$]+=[\w$]+`;
  const getter = String.raw`Object\.defineProperty\(exports,["\x60][\w$]+["\x60],\{enumerable:!0,get:function\(\)\{return [\w$]+\}\}\)`;
  const found = new RegExp(`(?:(?:${name}|${getter})[,;])+$`).exec(source.trimEnd());
  if (found === null) throw new Error("hot.cjs does not end with what it exports");
  const names =
    "let named=false;Object.defineProperty(module,`exports`,{get(){if(!named){named=true;NAMES}return exports}});";
  return source.slice(0, found.index) + names.replace("NAMES", () => found[0]);
}

/** The files that these import, directly or not; types and lazy imports not counted. */
function closureOf(entries) {
  const found = new Set(entries);
  for (const file of found) {
    const source = readFileSync(file, "utf8");
    for (const [, clause, path] of source.matchAll(/^(?:import|export)\s([^;"']*?)from\s+"(\.[^"]+)"/gm)) {
      if (!/^type\s/.test(clause)) found.add(resolve(dirname(file), path));
    }
  }
  return found;
}
