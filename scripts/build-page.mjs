// The dashboard's page: one script, one worker for the layout, one sheet of styles; nothing is fetched from elsewhere.
//   node scripts/build-page.mjs [folder]   default dist/dashboard
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = resolve(root, "src/interfaces/dashboard/page");
const PARTS = resolve(root, "src/dashboard/page");
const SCRIPTS = { page: `${SOURCES}/main.tsx`, layout: `${PARTS}/layout-worker.ts` };

/** @param dir where the page goes */
export async function buildPage(dir) {
  mkdirSync(dir, { recursive: true });
  for (const [name, file] of Object.entries(SCRIPTS)) await buildScript(file, `${dir}/${name}.js`);
  for (const file of ["index.html", "icon.svg"]) copyFileSync(`${SOURCES}/${file}`, `${dir}/${file}`);
  writeFileSync(`${dir}/page.css`, `${await sharedStyle()}${readFileSync(`${SOURCES}/page.css`, "utf8")}`);
}

/** The rules that reports and pictures have, too. They are a module, because what writes a report loads no files. */
async function sharedStyle() {
  const bundle = await rolldown({ input: resolve(root, "src/view/style.ts") });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const { STYLE } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  return STYLE;
}

async function buildScript(input, file) {
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: "browser",
    tsconfig: `${PARTS}/tsconfig.json`,
    logLevel: "warn",
  });
  const { output } = await bundle.write({ file, format: "iife", minify: true, codeSplitting: false });
  await bundle.close();
  writeFileSync(file, `${readFileSync(file, "utf8")}${licencesOf(output[0].moduleIds)}`);
}

/** What other packages' licences want. */
function licencesOf(moduleIds) {
  const folders = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/LICENSE`, "utf8").trim()}`;
  });
  return texts.length === 0 ? "" : `\n/*!\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await buildPage(resolve(process.argv[2] ?? `${root}/dist/dashboard`));
