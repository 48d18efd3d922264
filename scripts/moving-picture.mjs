// The README's moving picture: a run of the demo on a real pseudo-terminal, recorded, and drawn as one SVG that moves by CSS.
//   node scripts/moving-picture.mjs             draws docs/images/run.svg from docs/images/run.json
//   node scripts/moving-picture.mjs --record    runs the demo's loop first and records it (needs a built dist/ and python3)
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";

const root = fileURLToPath(new URL("..", import.meta.url));
const SIZE = { columns: 96, rows: 28 };
const CELL = { width: 8, height: 17, pad: 14, bar: 30 };
/** Milliseconds between frames, and how long the last one stays. */
const FRAME_MS = 400;
const LAST_MS = 5_000;
/** Of the 16 colours of a terminal those that aot uses, on a dark ground. */
const COLOURS = { 1: "#ff9b92", 2: "#6fd29c", 3: "#f2c069", 4: "#86acff", 5: "#bba6ff", 6: "#7fd6e0" };

/** Runs the loop on a pseudo-terminal. @returns what it was sent, and when: `[[ms, text], ...]` */
async function record() {
  const folder = mkdtempSync(join(tmpdir(), "aot-picture-"));
  const project = join(folder, "shortener");
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TERM: "xterm-256color",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  cpSync(join(root, "examples/demo/project"), project, { recursive: true });
  const git = (words) => spawnSync("git", words.split(" "), { cwd: project, env });
  for (const words of [
    "init --quiet --initial-branch=main",
    "config user.name Demo",
    "config user.email demo@localhost",
  ])
    git(words);
  for (const words of ["add --all", "commit --quiet --message Tests"]) git(words);
  mkdirSync(join(project, ".claude"));
  cpSync(join(root, "examples/demo/state.md"), join(project, ".claude/aot-loop-state.md"));
  const replay = ["run", "--agent", `replay:${join(root, "examples/demo/recording.jsonl")}`, "--set=replay_speed=1"];
  const terminal = join(root, "tests/fixtures/programs/terminal.py");
  const words = [
    terminal,
    String(SIZE.columns),
    String(SIZE.rows),
    process.execPath,
    join(root, "dist/bin.cjs"),
    ...replay,
  ];
  const child = spawn("python3", words, { cwd: project, env, stdio: ["pipe", "pipe", "inherit"] });
  const begun = performance.now();
  const sent = [];
  child.stdout.setEncoding("utf8");
  // Its folder has a name by chance, which says nothing.
  child.stdout.on("data", (text) => sent.push([Math.round(performance.now() - begun), text.replaceAll(folder, "~")]));
  const code = await new Promise((ended) => child.on("close", ended));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (code !== 0)
    throw new Error(
      `the run ended with ${code}: ${sent
        .map(([, text]) => text)
        .join("")
        .slice(-800)}`,
    );
  return sent;
}

/** What stood on the screen, every FRAME_MS: rows of parts `[text, style]`. */
async function framesOf(sent) {
  const terminal = new xterm.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    allowProposedApi: true,
    convertEol: false,
  });
  const write = (text) => new Promise((done) => terminal.write(text, done));
  const frames = [];
  const end = sent.at(-1)[0];
  let next = 0;
  for (let time = FRAME_MS; time < end + FRAME_MS; time += FRAME_MS) {
    for (; next < sent.length && sent[next][0] <= time; next++) await write(sent[next][1]);
    frames.push(screenFrom(terminal.buffer.active, terminal.buffer.active.baseY));
  }
  // At its end one scrolls up to the verdict.
  const { active } = terminal.buffer;
  const isVerdict = (row) => active.getLine(row)?.translateToString().startsWith("Verified");
  const verdict = Array.from({ length: active.length }, (_, row) => row).find(isVerdict) ?? 1;
  return [...frames, screenFrom(active, verdict - 1)];
}

function screenFrom(buffer, top) {
  return Array.from({ length: SIZE.rows }, (_, row) => rowOf(buffer.getLine(top + row)));
}

function rowOf(line) {
  const parts = [];
  for (let column = 0; column < SIZE.columns; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const colour = cell.isFgPalette() ? (COLOURS[cell.getFgColor() % 8] ?? "") : "";
    const style = `${colour === "" ? "" : `fill:${colour};`}${cell.isBold() ? "font-weight:700;" : ""}${cell.isDim() ? "opacity:.65;" : ""}`;
    const text = cell.getChars() || " ";
    const last = parts.at(-1);
    if (last !== undefined && last[1] === style) last[0] += text;
    else parts.push([text, style]);
  }
  while (parts.at(-1)?.[0].trim() === "") parts.pop();
  return parts;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The SVG: each row that stands for a while is one text, shown for as long. */
export async function drawn(sent) {
  const frames = await framesOf(sent);
  const whole = frames.length * FRAME_MS + LAST_MS;
  const runs = [];
  for (let row = 0; row < SIZE.rows; row++)
    for (let from = 0, to = 1; from < frames.length; from = to++) {
      const text = JSON.stringify(frames[from][row]);
      while (to < frames.length && JSON.stringify(frames[to][row]) === text) to++;
      if (frames[from][row].length > 0) runs.push({ row, from, to, parts: frames[from][row] });
    }
  const share = (frame) => Math.round((10_000 * frame * FRAME_MS) / whole) / 100;
  const spans = [...new Set(runs.map(({ from, to }) => `${from} ${to}`))];
  const rules = spans.map((span, index) => {
    const [from, to] = span.split(" ").map(Number);
    const ends = to === frames.length ? "" : `${share(to)}%{visibility:hidden}`;
    const begins = from === 0 ? "0%{visibility:visible}" : `0%{visibility:hidden}${share(from)}%{visibility:visible}`;
    return `@keyframes k${index}{${begins}${ends}}.k${index}{animation-name:k${index}}`;
  });
  const width = SIZE.columns * CELL.width + 2 * CELL.pad;
  const height = SIZE.rows * CELL.height + 2 * CELL.pad + CELL.bar;
  const lines = runs.map(({ row, from, to, parts }) => {
    const text = parts
      .map(([words, style]) => (style === "" ? escaped(words) : `<tspan style="${style}">${escaped(words)}</tspan>`))
      .join("");
    const long = parts.reduce((sum, [words]) => sum + [...words].length, 0) * CELL.width;
    const stays = to === frames.length ? " last" : "";
    const y = CELL.bar + CELL.pad + (row + 0.8) * CELL.height;
    return `<text class="k${spans.indexOf(`${from} ${to}`)}${stays}" x="${CELL.pad}" y="${Math.round(y)}" textLength="${long}">${text}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">
<title id="t">aot run on a terminal: the graph as it turns, a choice that is given up, and the verdict</title>
<style>text{font:13px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6eaee;white-space:pre;visibility:hidden;animation-duration:${whole}ms;animation-timing-function:step-end;animation-iteration-count:infinite}.name{visibility:visible;animation:none;fill:#9ca8b4}@media (prefers-reduced-motion:reduce){text{animation:none!important}.last{visibility:visible}}
${rules.join("\n")}</style>
<rect width="${width}" height="${height}" rx="10" fill="#12171c"/>
<text class="name" x="${CELL.pad}" y="20">$ aot run --agent replay:recording.jsonl</text>
${lines.join("\n")}
</svg>
`;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const images = join(root, "docs/images");
  const recording = join(images, "run.json");
  if (process.argv.includes("--record")) writeFileSync(recording, `${JSON.stringify(await record())}\n`);
  writeFileSync(join(images, "run.svg"), await drawn(JSON.parse(readFileSync(recording, "utf8"))));
}
