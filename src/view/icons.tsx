/** One sign for each standing and each button: distinguished by its shape, not by its colour alone. */
import type { JSX } from "preact";
import { STANDINGS, type Standing } from "./standing.ts";

const SHAPES: Readonly<Record<string, JSX.Element>> = {
  resolved: <path d="M3.5 8.5l3 3 6-7" />,
  running: (
    <>
      <circle cx="8" cy="8" r="5.5" stroke-dasharray="22 12" class="turns" />
      <circle cx="8" cy="8" r="1.8" class="full" />
    </>
  ),
  ready: <path d="M5.5 3.5l6.5 4.5-6.5 4.5z" />,
  waiting: <circle cx="8" cy="8" r="4.5" />,
  failed: <path d="M4 4l8 8M12 4l-8 8" />,
  not_selected: <circle cx="8" cy="8" r="5" stroke-dasharray="2.5 2.6" />,
  split: <path d="M2.5 3.5h11v9h-11zM2.5 7h11" />,
  undecided: <path d="M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.6M8 12.2v.3" />,
  stop: <path d="M4.5 4.5h7v7h-7z" />,
  turn: <path d="M3 11.5V9a3 3 0 0 1 3-3h7M10 3l3 3-3 3" />,
  back: <path d="M10 3.5L5.5 8l4.5 4.5" />,
  forth: <path d="M6 3.5L10.5 8 6 12.5" />,
  play: <path d="M5 3.5l7.5 4.5L5 12.5z" class="full" />,
  pause: <path d="M5.5 4v8M10.5 4v8" />,
  close: <path d="M4 4l8 8M12 4l-8 8" />,
  link: (
    <path d="M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 3.5 3.5L10.500 8.5M9 11l-1.500 1.500a2.500 2.500 0 0 1-3.500-3.500L5.500 7.500" />
  ),
  quiet: <path d="M4 11.5h8c-1-1-1-2.300-1-4a3 3 0 0 0-6 0c0 1.700 0 3-1 4zM7 13.500h2" />,
  bell: <path d="M4 11.500h8c-1-1-1-2.300-1-4a3 3 0 0 0-6 0c0 1.700 0 3-1 4zM7 13.500h2" class="full" />,
  theme: (
    <>
      <circle cx="8" cy="8" r="5" />
      <path d="M8 3a5 5 0 0 1 0 10z" class="full" />
    </>
  ),
  fit: <path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3" />,
  plus: <path d="M8 3.500v9M3.500 8h9" />,
  minus: <path d="M3.500 8h9" />,
  stall: <path d="M8 3l5.500 9.500h-11zM8 6.500v3M8 11v.2" />,
};

/** The lines of a sign, 16 by 16. */
export function Shape({ name }: { readonly name: string }): JSX.Element | null {
  return SHAPES[name] ?? null;
}

export function Icon({ name, label }: { readonly name: string; readonly label?: string }): JSX.Element {
  const hidden = label === undefined ? { "aria-hidden": true as const } : { role: "img" as const, "aria-label": label };
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" {...hidden}>
      <Shape name={name} />
    </svg>
  );
}

export function StandingMark({ standing }: { readonly standing: Standing }): JSX.Element {
  return (
    <span class={`mark is-${standing}`}>
      <Icon name={standing} />
      <span>{STANDINGS[standing].words}</span>
    </span>
  );
}

const STATUS_SIGNS: Readonly<Record<string, string>> = {
  pending: "waiting",
  running: "running",
  active: "running",
  paused: "pause",
  stopped: "stop",
  completed: "resolved",
  complete: "resolved",
  failed: "failed",
  away: "failed",
};

/** The status of a loop. */
export function StatusPill({ status }: { readonly status: string }): JSX.Element {
  return (
    <span class={`status status-${status}`}>
      <Icon name={STATUS_SIGNS[status] ?? "waiting"} />
      {status}
    </span>
  );
}
