/** The journal beside the graph, newest first. */
import type { JSX } from "preact";
import { clock } from "../../view/words.ts";
import { describeEvent } from "../../terminal/event-text.ts";
import { atomOf } from "../../core/journal-line.ts";
import type { LiveScene } from "./scene.ts";

const LINES_SHOWN = 250;

export function JournalPanel({
  scene,
  onSelect,
}: {
  readonly scene: LiveScene;
  readonly onSelect: (atom: string) => void;
}): JSX.Element {
  const lines = scene.lines.filter(({ event }) => event !== "state_saved");
  return (
    <div class="stack">
      {lines.length === 0 ? <p class="empty">Nothing happened yet.</p> : null}
      <ol class="events">
        {lines
          .slice(-LINES_SHOWN)
          .reverse()
          .map((line, index) => {
            const { text, style } = describeEvent(line);
            const atom = atomOf(line);
            return (
              <li key={lines.length - index} class={`tone-${style ?? "plain"}`}>
                <time>{clock(String(line["time"]))}</time>
                <span>
                  {atom !== "" && scene.drawing.atoms.has(atom) ? (
                    <button type="button" class="inline" onClick={() => onSelect(atom)}>
                      {atom}
                    </button>
                  ) : null}{" "}
                  {text}
                </span>
              </li>
            );
          })}
      </ol>
      {lines.length > LINES_SHOWN && <p class="note">The newest {LINES_SHOWN}; `aot logs` shows all.</p>}
    </div>
  );
}
