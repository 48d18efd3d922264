/** One atom: its description, result and attempts. */
import type { JSX } from "preact";
import { graphOf } from "../../core/graph.ts";
import { at } from "../../core/vec.ts";
import { StandingMark } from "../../view/icons.tsx";
import { Fact } from "../../view/loop-panels.tsx";
import type { Scene } from "../../view/scene.ts";
import { ATTEMPTS } from "../../view/standing.ts";
import type { Bar } from "../../view/timeline.ts";
import { clock } from "../../view/words.ts";
import { spentWords, VIEWS, type View, type Viewed } from "./attempt-viewer.tsx";

interface AtomProps {
  readonly scene: Scene;
  readonly id: string | null;
  readonly viewed: Viewed | null;
  readonly onSelect: (atom: string) => void;
  readonly onView: (viewed: Viewed) => void;
}

export function AtomPanel({ scene, id, viewed, onSelect, onView }: AtomProps): JSX.Element {
  const drawn = id === null ? undefined : scene.drawing.atoms.get(id);
  if (id === null || drawn === undefined)
    return <p class="empty">Choose an atom of the graph, or an attempt on the timeline.</p>;
  const { atom, standing } = drawn;
  const index = graphOf(scene.state).indexOf.get(id) ?? 0;
  const { binding } = at(scene.state.atoms, index);
  const bars = scene.timeline.bars.filter((bar) => bar.atom === id && bar.from <= scene.time);
  return (
    <div class="stack">
      <h3 class="atom-title">
        {id} <StandingMark standing={standing} />
      </h3>
      <p class="lead">{atom.description}</p>
      <dl class="facts">
        {atom.depends_on.length > 0 && (
          <Fact name="depends on">
            <>
              {atom.depends_on.map((other) => (
                <button key={other} type="button" class="inline" onClick={() => onSelect(other)}>
                  {other}
                </button>
              ))}
            </>
          </Fact>
        )}
        {atom.or_group !== undefined && <Fact name="a choice of">{atom.or_group}</Fact>}
        {(atom.touches ?? []).length > 0 && <Fact name="touches">{(atom.touches ?? []).join(", ")}</Fact>}
      </dl>
      {binding !== undefined && (
        <>
          <h3>Result</h3>
          <p>{binding.summary}</p>
          {binding.artifacts.length > 0 && <p class="note">{binding.artifacts.join(", ")}</p>}
        </>
      )}
      <h3>Attempts</h3>
      {bars.length === 0 ? <p class="empty">None yet.</p> : null}
      <ul class="attempts">
        {bars.map((bar) => (
          <AttemptRow
            key={bar.attempt}
            bar={bar}
            viewed={viewed?.attempt === bar.attempt ? viewed.what : null}
            onView={(what) => onView({ what, attempt: bar.attempt })}
          />
        ))}
      </ul>
    </div>
  );
}

interface RowProps {
  readonly bar: Bar;
  readonly viewed: View | null;
  readonly onView: (what: View) => void;
}

function AttemptRow({ bar, viewed, onView }: RowProps): JSX.Element {
  const isOver = bar.end !== "running" && bar.end !== "integrating";
  const offered: readonly View[] = isOver ? ["log", "diff"] : ["log"];
  return (
    <li>
      <div class="attempt-head">
        <b>{bar.attempt}</b>
        <span class={`end ends-${bar.end}`}>{ATTEMPTS[bar.end].words}</span>
        <small>
          {clock(bar.from)}, {spentWords(bar)}
        </small>
        <span class="attempt-buttons">
          {offered.map((what) => (
            <button
              key={what}
              type="button"
              class="plain"
              aria-pressed={viewed === what}
              aria-label={`${VIEWS[what]} of ${bar.attempt}`}
              onClick={() => onView(what)}
            >
              {VIEWS[what]}
            </button>
          ))}
        </span>
      </div>
      {bar.words !== "" && <p class="note">{bar.words}</p>}
    </li>
  );
}
