// The command as CommonJS chunks: every `aot` call pays for what it loads, so each command is loaded when it is called.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { buildPage } from "./build-page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param dir where bin.cjs, cli/*.cjs and dashboard/ go; a folder below the package, so that its dependencies are found */
export async function buildCli(dir) {
  const { dependencies } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
  const bundle = await rolldown({
    input: { bin: resolve(root, "src/bin.ts") },
    platform: "node",
    resolve: { alias: { "@modelcontextprotocol/server/_shims": resolve(root, "scripts/mcp-shims.mjs") } },
    // Built in: every command reads a state file, and half of the YAML library is enough for it.
    external: [/^node:/, ...Object.keys(dependencies).filter((name) => name !== "js-yaml")],
  });
  const { output } = await bundle.write({
    dir,
    format: "cjs",
    banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
    entryFileNames: "[name].cjs",
    chunkFileNames: "cli/[name].cjs",
    minify: true,
    // Each further file costs a command some 0.3 ms: the ones that are called most find what they import in one.
    codeSplitting: {
      groups: [
        { name: "bin", test: /src[\\/]bin\.ts$/, priority: 2 },
        { name: "state", test: /src[\\/]edit[\\/]commands[\\/](?:state|atoms)\.ts$/, priority: 1 },
      ],
    },
  });
  await bundle.close();
  for (const chunk of output) addLicences(`${dir}/${chunk.fileName}`, chunk.moduleIds ?? []);
  chmodSync(`${dir}/bin.cjs`, 0o755);
  await buildPage(`${dir}/dashboard`);
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
