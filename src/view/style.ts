/**
 * The styles of everything that is drawn of a loop, on the page and in a report: one sheet, two palettes. A status shows by
 * its sign and border first, then by its colour. The page's own rules follow in page.css.
 */

const LIGHT =
  "--bg:#f4f5f6;--panel:#ffffff;--sunk:#f7f8f9;--ink:#1a2027;--dim:#56616c;--line:#dde1e5;--line-strong:#b9c0c7;--accent:#1d4ed8;--accent-soft:#e6edfd;--on-accent:#ffffff;--good:#17693f;--good-soft:#e3f3ea;--bad:#a32018;--bad-soft:#fcebe9;--warn:#7d4e00;--warn-soft:#fdf1da;--ready:#5b3fb8;--ready-soft:#efeafb;--quiet:#56616c;--quiet-soft:#eef0f2;--shadow:0 1px 2px rgb(15 23 32 / 6%),0 4px 14px rgb(15 23 32 / 4%)";
const DARK =
  "--bg:#0f1317;--panel:#171c22;--sunk:#12171c;--ink:#e6eaee;--dim:#9ca8b4;--line:#29313a;--line-strong:#46515d;--accent:#86acff;--accent-soft:#1b2a4a;--on-accent:#0c1526;--good:#6fd29c;--good-soft:#15301f;--bad:#ff9b92;--bad-soft:#3a1a18;--warn:#f2c069;--warn-soft:#33260d;--ready:#bba6ff;--ready-soft:#261f40;--quiet:#9ca8b4;--quiet-soft:#20272e;--shadow:none";

/** Light or dark as the reader prefers, or as the page says. */
const PALETTE = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${DARK}}}
:root[data-theme="light"]{color-scheme:light}
:root[data-theme="dark"]{color-scheme:dark;${DARK}}
`;

/** Of standings, signs and the work graph. */
const GRAPH_STYLE = `
.is-resolved{--tone:var(--good);--soft:var(--good-soft)}
.is-running{--tone:var(--accent);--soft:var(--accent-soft)}
.is-ready{--tone:var(--ready);--soft:var(--ready-soft)}
.is-waiting,.is-not_selected,.is-split{--tone:var(--quiet);--soft:var(--quiet-soft)}
.is-failed{--tone:var(--bad);--soft:var(--bad-soft)}
.icon{width:16px;height:16px;flex:none;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.icon .full{fill:currentColor;stroke:none}
.work-graph{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.work-graph .paper{fill:var(--sunk)}
.work-graph .arrow{fill:none;stroke:var(--line-strong);stroke-width:1.4;pointer-events:none}
.work-graph .arrow.is-open{stroke-dasharray:5 4}
.work-graph .arrow.is-near{stroke:var(--accent);stroke-width:2.2}
.work-graph .tip{fill:var(--line-strong)}
.work-graph .tip.is-near{fill:var(--accent)}
.work-graph .box{fill:var(--panel);stroke:var(--tone);stroke-width:1.5}
.work-graph .is-resolved .box,.work-graph .is-running .box{fill:var(--soft)}
.work-graph .is-running .box{stroke-width:3}
.work-graph .is-waiting .box{stroke:var(--line-strong)}
.work-graph .is-failed .box,.work-graph .is-not_selected .box{fill:var(--sunk);stroke-dasharray:5 4}
.work-graph .icon{color:var(--tone)}
.work-graph .atom-id{fill:var(--ink);font-size:13px;font-weight:650}
.work-graph .atom-words{fill:var(--dim)}
.work-graph .is-failed .atom-words{text-decoration:line-through}
.work-graph .frame-box{fill:var(--quiet-soft);fill-opacity:.55;stroke:var(--line-strong);stroke-width:1.5}
.work-graph .is-group .frame-box{fill:var(--ready-soft);fill-opacity:.45;stroke:var(--ready);stroke-opacity:.55;stroke-width:2;stroke-dasharray:2 4;stroke-linecap:round}
.work-graph .frame-title{fill:var(--dim);font-weight:600}
.work-graph .is-group .frame-title{fill:var(--ready)}
`.trimStart();

const PANEL_STYLE = `
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;-webkit-text-size-adjust:100%}
h1,h2,h3,p,dl,dd,ol,ul{margin:0;padding:0}
ol,ul{list-style:none}
small{font-size:12px;color:var(--dim);font-weight:400}
code,pre{font-family:var(--mono);font-size:12px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.empty{color:var(--dim)}
.note{color:var(--dim);font-size:12.5px;overflow-wrap:anywhere}
.lead{font-size:14px;overflow-wrap:anywhere}
.advice{background:var(--warn-soft);color:var(--warn);border-radius:6px;padding:6px 10px;font-size:13px}
.status{display:inline-flex;align-items:center;gap:5px;padding:2px 10px 2px 7px;border-radius:99px;font-size:12.5px;font-weight:600;background:var(--quiet-soft);color:var(--quiet);white-space:nowrap}
.status .icon{width:14px;height:14px}
.status-running,.status-active{background:var(--accent-soft);color:var(--accent)}
.status-completed,.status-complete{background:var(--good-soft);color:var(--good)}
.status-stopped,.status-paused{background:var(--warn-soft);color:var(--warn)}
.status-failed{background:var(--bad-soft);color:var(--bad)}
main{display:grid;gap:14px;padding:14px 20px;max-width:1760px;margin:0 auto}
.panel{background:var(--panel);border:1px solid var(--line);border-radius:10px;box-shadow:var(--shadow);padding:12px 14px;min-width:0}
.panel h2{display:flex;flex-wrap:wrap;align-items:center;gap:4px 10px;font-size:13.5px;font-weight:650;margin-bottom:10px}
.panel h2 i{font-family:Georgia,"DejaVu Serif",serif}
h3{font-size:12.5px;font-weight:650}
.banner{display:flex;flex-wrap:wrap;align-items:center;gap:8px;padding:8px 14px;border-radius:8px;background:var(--accent-soft);color:var(--accent)}
.banner.is-good{background:var(--good-soft);color:var(--good)}
.banner.is-halted{background:var(--warn-soft);color:var(--warn)}
.banner.is-problem{background:var(--bad-soft);color:var(--bad)}
.banner b::first-letter{text-transform:uppercase}
.tiles{display:grid;grid-template-columns:repeat(7,minmax(0,1fr));background:var(--panel);border:1px solid var(--line);border-radius:10px;box-shadow:var(--shadow)}
.tile{padding:10px 14px 12px;border-left:1px solid var(--line);min-width:0}
.tile:first-child{border-left:0}
.tile dt{font-size:12px;color:var(--dim);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.tile b{font-size:21px;font-weight:600;font-variant-numeric:tabular-nums;letter-spacing:-0.01em;margin-right:4px}
.tile small{white-space:nowrap}
.tile-bar,.meter-bar{display:block;height:4px;margin-top:6px;border-radius:2px;background:var(--quiet-soft);overflow:hidden}
.tile-bar i,.meter-bar i{display:block;height:100%;background:var(--accent);border-radius:2px}
.tile:first-child .tile-bar i{background:var(--good)}
.tile.is-warning .tile-bar i,.meter-bar i.is-near{background:var(--warn)}
.legend{display:flex;flex-wrap:wrap;gap:3px 14px;margin-left:auto;font-weight:400}
.key{display:inline-flex;align-items:center;gap:5px;font-size:12px}
.key .icon{width:13px;height:13px}
.mark{display:inline-flex;align-items:center;gap:4px;color:var(--tone);font-size:12px;font-weight:500;white-space:nowrap}
.stack{display:grid;grid-template-columns:minmax(0,1fr);gap:10px}
.stack h3{color:var(--dim);border-bottom:1px solid var(--line);padding-bottom:3px;margin-top:4px}
.facts{display:grid;gap:4px}
.facts div{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:10px}
.facts dt{color:var(--dim)}
.facts dd{text-align:right;font-variant-numeric:tabular-nums}
.checks{display:grid;gap:6px}
.checks .checks{margin:6px 0 0 8px;padding-left:12px;border-left:1px solid var(--line)}
.checks .icon{width:14px;height:14px;vertical-align:-2px}
.check-item{font-weight:500}
.check-line{padding-left:20px;text-indent:-20px}
.check-line code{display:inline-block;max-width:100%;text-indent:0}
summary{cursor:pointer}
.verdict-true{color:var(--good)}
.verdict-false{color:var(--bad)}
.verdict-null{color:var(--warn)}
.evidence{display:grid;gap:4px;margin:4px 0 4px 22px}
.evidence code{overflow-wrap:anywhere}
pre{margin:0;max-height:240px;overflow:auto;padding:8px 10px;border-radius:6px;border:1px solid var(--line);background:var(--sunk);line-height:1.4}
.events{display:grid;gap:5px}
.events li{display:grid;grid-template-columns:62px minmax(0,1fr);gap:8px;font-size:13px}
.events span{overflow-wrap:anywhere}
.events time{color:var(--dim);font-variant-numeric:tabular-nums;font-size:12px;padding-top:1px}
.meter{display:grid;grid-template-columns:1fr auto}
.meter-words{color:var(--dim);font-variant-numeric:tabular-nums}
.meter-bar{grid-column:1 / -1;margin-top:3px}
.table{width:100%;border-collapse:collapse;font-size:12.5px}
.table th,.table td{text-align:right;padding:3px 0 3px 8px;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
.table th:first-child{text-align:left;padding-left:0}
.table thead th{color:var(--dim);font-weight:500}
.ends-integrated,.ends-feasible{--tone:var(--good);--soft:var(--good-soft)}
.ends-failed{--tone:var(--bad);--soft:var(--bad-soft)}
.ends-running{--tone:var(--accent);--soft:var(--accent-soft)}
.ends-integrating{--tone:var(--good);--soft:var(--panel)}
.ends-aborted,.ends-discarded,.ends-split{--tone:var(--quiet);--soft:var(--quiet-soft)}
.ends-unavailable{--tone:var(--warn);--soft:var(--warn-soft)}
.key i{display:inline-grid;place-items:center;width:20px;height:14px;border:1px solid var(--tone,var(--line-strong));border-radius:3px;background:var(--soft);color:var(--tone)}
.key i .icon{width:10px;height:10px}
.key.is-idle i,.idle{background-image:repeating-linear-gradient(-45deg,var(--line) 0 1px,transparent 1px 6px)}
.gantt{padding-top:6px;display:grid;grid-template-columns:92px minmax(0,1fr)}
.gantt-name{display:flex;flex-direction:column;justify-content:center;height:34px;line-height:1.2;font-size:12.5px}
.gantt-name small{font-size:11px}
.gantt-field{position:relative;padding-bottom:20px}
.lane{position:relative;height:34px;border-bottom:1px solid var(--line)}
.lane:first-child{border-top:1px solid var(--line)}
.idle{position:absolute;top:0;bottom:0}
.bar{container-type:inline-size;position:absolute;top:4px;bottom:4px;display:flex;align-items:center;gap:4px;overflow:hidden;padding:0 4px;border:1.5px solid var(--tone);border-radius:5px;background:var(--soft);color:var(--tone);font-size:12px;font-weight:600;white-space:nowrap}
.bar .icon{flex:none;width:13px;height:13px}
.bar span{overflow:hidden;min-width:0;text-overflow:ellipsis}
@container (max-width:44px){.bar span{display:none}}
@container (max-width:14px){.bar .icon{display:none}}
.bar.ends-aborted,.bar.ends-discarded{border-style:dashed}
.is-dense .bar{border-width:0;border-radius:1px;padding:0;background:var(--tone)}
.bar.is-selected{z-index:1;outline:2px solid var(--accent);outline-offset:1px}
.gantt-break{position:absolute;top:0;bottom:20px;width:0;border-left:3px double var(--line-strong)}
.flag{position:absolute;top:-7px;z-index:2;width:15px;height:15px;margin-left:-8px;display:grid;place-items:center;border-radius:50%;background:var(--panel);border:1.5px solid var(--tone);color:var(--tone)}
.flag .icon{width:9px;height:9px;stroke-width:2.4}
.flag.is-passed{--tone:var(--good)}
.flag.is-failed{--tone:var(--bad)}
.flag.is-undecided,.flag.is-stop{--tone:var(--warn)}
.flag.is-redirect{--tone:var(--ready)}
.playhead{position:absolute;top:-4px;bottom:16px;width:2px;margin-left:-1px;background:var(--accent);pointer-events:none}
.playhead.is-live{opacity:0.35}
.gantt-axis span{position:absolute;bottom:0;transform:translateX(-50%);font-size:11px;color:var(--dim);font-variant-numeric:tabular-nums}
.gantt-axis span:first-child{transform:none}
.chart{display:block;width:100%;max-width:480px;height:auto;font-size:10px}
.chart text{fill:var(--dim);font-size:10px;font-variant-numeric:tabular-nums}
.chart .rule{stroke:var(--line)}
.chart .paid{fill:none;stroke:var(--accent);stroke-width:2}
.chart .limit{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:5 4}
.judged rect{fill:var(--accent)}
.moves-stall rect,.moves-expansion rect{fill:none;stroke:var(--warn);stroke-width:2}
.chart .warn{fill:none;stroke:var(--warn);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
@media(max-width:1180px){.tiles{grid-template-columns:repeat(4,minmax(0,1fr))}.tile:nth-child(5){border-left:0}.tile:nth-child(n + 5){border-top:1px solid var(--line)}}
@media(max-width:640px){main{padding:10px 12px;gap:10px}.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}.tile{padding:8px 12px}.tile:nth-child(odd){border-left:0}.tile:nth-child(n + 3){border-top:1px solid var(--line)}.tile:nth-child(5){border-left:0}.tile:last-child{grid-column:span 2}.tile b{font-size:19px}.legend{margin-left:0}.gantt{grid-template-columns:62px minmax(0,1fr)}.gantt-axis span:not(.is-main){display:none}}
`.trimStart();

/** All of it. */
export const STYLE = `${PALETTE}:root{--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
${GRAPH_STYLE}${PANEL_STYLE}`;
