/** An image of this machine's own programs, for tests of containers: no registry is needed. Built once for each Node. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TestRunner } from "vitest";
import { needs } from "./needs.ts";

const ENGINE = "podman";
const IMAGE = `localhost/aot-test:node-${process.versions.node}`;
const PACKAGES = "dash bash coreutils grep sed util-linux util-linux-extra procps git mount findutils mawk hostname";
/** A machine without systemd, and limits of processes that it can give. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
`;

export interface TestImage {
  readonly engine: string;
  readonly image: string;
  /** What the engine is started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Skips the test that calls it, with the reason, where no container can be run. @param folder where the settings may lie */
export function testImage(folder: string): TestImage {
  needs(ENGINE, "runc", "dpkg", "ldd");
  const settings = join(folder, "containers.conf");
  writeFileSync(settings, SETTINGS);
  const env = { ...process.env, CONTAINERS_CONF: settings };
  if (spawnSync(ENGINE, ["image", "exists", IMAGE], { env }).status !== 0) build(env);
  const tried = spawnSync(ENGINE, ["run", "--rm", "--init", "--network", "none", IMAGE, "true"], {
    env,
    encoding: "utf8",
  });
  if (tried.status !== 0) TestRunner.getCurrentTest()?.context.skip(`${ENGINE} runs nothing here: ${tried.stderr}`);
  return { engine: ENGINE, image: IMAGE, env };
}

function build(env: NodeJS.ProcessEnv): void {
  const folder = mkdtempSync(join(tmpdir(), "aot-image-"));
  try {
    const root = join(folder, "root");
    for (const name of ["etc", "home", "proc", "sys", "dev", "run", "var/tmp", "tmp", "root"])
      mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    writeFileSync(join(root, "etc/group"), "root:x:0:\n");
    const listed = join(folder, "files");
    writeFileSync(listed, filesOf(PACKAGES.split(" ")).join("\n"));
    const archive = join(folder, "image.tar");
    execFileSync("tar", ["-cf", archive, "-C", root, "."]);
    execFileSync("tar", ["-rf", archive, "-P", "--no-recursion", "--transform", "s,^/,./,S", "-T", listed]);
    execFileSync(ENGINE, ["import", archive, IMAGE], { env, stdio: "pipe" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Programs of these packages and Node, the libraries that they load, and what stands behind their links. */
function filesOf(packages: readonly string[]): readonly string[] {
  const installed = packages.flatMap((name) =>
    spawnSync("dpkg", ["-L", name], { encoding: "utf8" }).stdout.split("\n"),
  );
  const programs = [
    ...installed.filter((path) => /^\/(?:usr\/)?(?:s?bin|lib\/git-core)\/./.test(path) && existsSync(path)),
    process.execPath,
  ];
  const libraries = spawnSync("ldd", programs.map(real), { encoding: "utf8", maxBuffer: 2 ** 26 }).stdout;
  const named = [...programs, ...(libraries.match(/(?<=\s)\/\S+(?= \(0x)/g) ?? [])];
  const top = ["/bin", "/sbin", "/lib", "/lib64"].filter((path) => existsSync(path) && real(path) !== path);
  return [
    ...new Set([
      ...top,
      ...named.flatMap((path) => [join(real(dirname(path)), path.slice(dirname(path).length + 1)), real(path)]),
    ]),
  ];
}

function real(path: string): string {
  return realpathSync(path);
}
