// Makes one program of TypeScript sources, since Node 20 does not run them as they are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * @param source below the repository, as `file` of a change is
 * @param file where the program goes
 * @param change {file, find, replace}: a bug to plant while bundling; `find` is in `file` exactly once
 */
export async function bundleSource(source, file, change) {
  const planted = { times: 0 };
  const bundle = await rolldown({
    input: join(ROOT, source),
    platform: "node",
    logLevel: "silent",
    plugins: change === undefined ? [] : [planting(change, planted)],
  });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  if (change !== undefined && planted.times !== 1)
    throw new Error(`${change.file} is no part of ${source}: nothing was planted`);
}

function planting(change, planted) {
  const path = join(ROOT, change.file);
  return {
    name: "plant a bug",
    load(id) {
      if (id !== path) return null;
      planted.times++;
      return { code: plantedText(readFileSync(path, "utf8"), change), moduleType: "ts" };
    },
  };
}

/** The text with the bug in it; throws unless `find` is there exactly once. */
function plantedText(text, { file, find, replace }) {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} holds this ${parts.length - 1} times, not once: ${find}`);
  return parts.join(replace);
}
