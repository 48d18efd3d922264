// Builds what the plugin runs: one file with every dependency in it, from the same sources as the command. It is kept
// in the repository, because a plugin is installed from a checkout without a build; tests/plugin rebuilds and compares.
//   node scripts/build-plugin.mjs [file]   default plugin/lib/aot.cjs
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param file where the bundle goes */
export async function buildPlugin(file) {
  const bundle = await rolldown({
    input: resolve(root, "src/bin.ts"),
    cwd: root,
    platform: "node",
    external: [/^node:/],
    logLevel: "warn",
    onLog: (level, log, tell) => {
      if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") tell(level, log);
    },
  });
  await bundle.write({ file, format: "cjs", minify: true, codeSplitting: false });
  await bundle.close();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await buildPlugin(resolve(process.argv[2] ?? `${root}/plugin/lib/aot.cjs`));
