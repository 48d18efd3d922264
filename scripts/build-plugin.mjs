// Builds what the plugin runs, with every dependency in it, from the same sources as the command: one file with all of it,
// and what most tool calls need once more by itself, because a hook's start-up is user time. The repository does not hold
// it: `npm ci` builds it in a checkout, and scripts/release-plugin.mjs puts it on a branch to install from.
//   node scripts/build-plugin.mjs [file]   default plugin/lib/aot.cjs; the hook goes beside it
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Other names of commands: a file each, because the client takes no two commands from one. */
const ALIASES = { "align-goal": "align", "enter-recursion": "run", "exit-recursion": "stop" };

/** Manifests of the Agent Plugins format. Codex prefers them to its own, and then runs no hook. */
const PORTABLE = ["plugin.json", "mcp.json"];

/** @param file where the bundle goes, in the plugin's folder `lib`; what Codex installs goes beside the plugin's folder */
export async function buildPlugin(file) {
  await build(resolve(root, "src/bin.ts"), { file, codeSplitting: false });
  await buildHook(dirname(file));
  const plugin = dirname(dirname(file));
  const commands = join(plugin, "commands");
  if (!existsSync(commands)) return;
  for (const [alias, name] of Object.entries(ALIASES)) {
    const text = readFileSync(join(commands, `${name}.md`), "utf8");
    const said = text.replace(/^description: .*$/m, `description: Another name of /aot-loop:${name}`);
    writeFileSync(join(commands, `${alias}.md`), said);
  }
  const codex = `${plugin}-codex`;
  rmSync(codex, { recursive: true, force: true });
  cpSync(plugin, codex, { recursive: true, filter: (path) => !PORTABLE.some((name) => path === join(plugin, name)) });
}

/** Guard rules, and what of a loop needs no look at its state. @param dir where it goes */
export async function buildHook(dir) {
  const input = { hook: resolve(root, "src/interfaces/hook/hook-process.ts") };
  // What is seldom needed is apart: reading files that were changed, and the second engine.
  await build(input, { dir, entryFileNames: "[name].cjs", chunkFileNames: "hook-[name].cjs" });
}

async function build(input, output) {
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: "node",
    external: [/^node:/],
    logLevel: "warn",
    onLog: (level, log, tell) => {
      if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") tell(level, log);
    },
  });
  await bundle.write({ format: "cjs", minify: true, ...output });
  await bundle.close();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await buildPlugin(resolve(process.argv[2] ?? `${root}/plugin/lib/aot.cjs`));
