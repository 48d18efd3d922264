// Builds what the plugin runs: one file with every dependency in it, from the same sources as the command. It is kept
// in the repository, because a plugin is installed from a checkout without a build; tests/plugin rebuilds and compares.
//   node scripts/build-plugin.mjs [file]   default plugin/lib/aot.cjs
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const ENTRY = "\0plugin";
/** The command's table and what only the plugin calls. */
const SOURCE = `
import { AOT } from ${JSON.stringify(resolve(root, "src/aot.ts"))};
import { SESSION_COMMANDS } from ${JSON.stringify(resolve(root, "src/faces/hook/spec.ts"))};
import { main } from ${JSON.stringify(resolve(root, "src/faces/cli/main.ts"))};
import { processIo } from ${JSON.stringify(resolve(root, "src/commands/io.ts"))};
const known = new Set(AOT.commands.map((command) => command.name));
const commands = [...AOT.commands, ...SESSION_COMMANDS.filter((command) => !known.has(command.name))];
main({ ...AOT, commands }, process.argv.slice(2), processIo()).then((code) => process.exit(code));
`;

/** @param file where the bundle goes */
export async function buildPlugin(file) {
  const bundle = await rolldown({
    input: ENTRY,
    cwd: root,
    platform: "node",
    external: [/^node:/],
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? { code: SOURCE, moduleType: "js" } : null),
      },
    ],
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
