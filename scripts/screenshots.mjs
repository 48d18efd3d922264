// The pictures of the dashboard in the README: the demo's recorded run, looked at with Chromium while it is worked and
// when it is over. Needs a built dist/ and Chromium (CHROMIUM, default /usr/bin/chromium).
//   node scripts/screenshots.mjs [folder]   default docs/images
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = resolve(process.argv[2] ?? join(root, "docs/images"));
const bin = resolve(process.env.AOT_BIN ?? join(root, "dist/bin.cjs"));
const demo = join(root, "examples/demo");
const LIMIT_MS = 90_000;
const folder = mkdtempSync(join(tmpdir(), "aot-screenshots-"));
const project = join(folder, "shortener");
const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function run(command, ...args) {
  const ran = spawnSync(command, args, { cwd: project, env, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
}

function prepare() {
  cpSync(join(demo, "project"), project, { recursive: true });
  const git = (...args) => run("git", "-c", "user.name=Demo", "-c", "user.email=demo@localhost", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Tests of a link shortener");
  mkdirSync(join(project, ".claude"));
  cpSync(join(demo, "state.md"), join(project, ".claude/aot-loop-state.md"));
}

const start = (...args) =>
  spawn(process.execPath, [bin, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "ignore"] });

/** The address that the dashboard prints. */
function addressOf(child) {
  return new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      const address = /http:\S+/.exec(text)?.[0];
      if (address !== undefined) found(address);
    });
    child.on("exit", (code) => failed(new Error(`aot dashboard ended with ${code}`)));
  });
}

async function pictures(browser, address, loop) {
  const wide = { width: 1440, height: 900 };
  const page = await browser.newPage({ viewport: wide, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(address);
  const standing = (name, count) =>
    page.waitForFunction(
      ([of, least]) => document.querySelectorAll(`.atom[data-standing="${of}"]`).length >= least,
      [name, count],
      { timeout: LIMIT_MS },
    );
  await standing("resolved", 3);
  await standing("running", 1);
  await page.screenshot({ path: join(out, "dashboard-live.png") });
  await new Promise((ended) => loop.on("exit", ended));
  await page.locator(".status-completed").waitFor({ timeout: LIMIT_MS });
  // Without the foot, which names a folder that is gone by now.
  const { y, height } = await page.locator("main").boundingBox();
  const whole = { x: 0, y: 0, width: wide.width, height: Math.ceil(y + height) };
  await page.screenshot({ path: join(out, "dashboard-verified.png"), fullPage: true, clip: whole });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator('.atom[data-atom="A1"]').click();
  await page
    .getByRole("button", { name: /^Changes of/ })
    .first()
    .click();
  await page.locator(".patch").waitFor();
  await page.screenshot({ path: join(out, "dashboard-dark.png") });
  await page.close();
  const phone = await browser.newPage({
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  await phone.goto(address);
  await phone.locator(".row").first().waitFor({ timeout: LIMIT_MS });
  await phone.screenshot({ path: join(out, "dashboard-phone.png") });
}

prepare();
mkdirSync(out, { recursive: true });
const server = start("dashboard");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
let loop;
try {
  const address = await addressOf(server);
  loop = start("run", "--agent", `replay:${join(demo, "recording.jsonl")}`, "--set=replay_speed=0.6");
  await pictures(browser, address, loop);
} finally {
  await browser.close();
  server.kill("SIGINT");
  loop?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
