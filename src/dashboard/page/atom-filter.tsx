/** Filters atoms by standing (how the page shows an atom's status) and by a searched text. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { framesAround, narrowed } from "../../view/narrowed.ts";
import { containerId, type DrawnAtom, type Drawing } from "../../view/drawing.ts";
import { Icon } from "../../view/icons.tsx";
import { STANDINGS, type Standing } from "../../view/standing.ts";

export interface AtomFilter {
  readonly text: string;
  /** Empty: all. */
  readonly standings: ReadonlySet<Standing>;
}

export const ALL_ATOMS: AtomFilter = { text: "", standings: new Set() };

/** Atoms that match, in the order of the state file. */
export function matching(drawing: Drawing, { text, standings }: AtomFilter): readonly DrawnAtom[] {
  const words = text.trim().toLowerCase();
  return [...drawing.atoms.values()].filter(({ atom, standing }) => {
    // As in the counts, an atom that was split has the standing `split`, whatever its status.
    const isSplit = drawing.frames.has(containerId(atom.id));
    if (standings.size > 0 && !standings.has(isSplit ? "split" : standing)) return false;
    return words === "" || `${atom.id} ${atom.description}`.toLowerCase().includes(words);
  });
}

/** The graph of atoms that match, and of all atoms inside a container that does. */
export function filtered(drawing: Drawing, filter: AtomFilter): Drawing {
  if (filter.text.trim() === "" && filter.standings.size === 0) return drawing;
  const found = new Set(matching(drawing, filter).flatMap(({ atom: { id } }) => [id, containerId(id)]));
  const around = framesAround(drawing);
  return narrowed(drawing, (id) => found.has(id) || around(id).some((frame) => found.has(frame)));
}

interface FilterProps {
  readonly drawing: Drawing;
  readonly filter: AtomFilter;
  readonly onFilter: (filter: AtomFilter) => void;
  /** Called at each Enter in the search, with the next match. */
  readonly onSelect: (atom: string) => void;
}

/** A toggle button with the count of each standing, and the search. */
export function FilterBar({ drawing, filter, onFilter, onSelect }: FilterProps): JSX.Element {
  const [turn, setTurn] = useState(0);
  const { text, standings } = filter;
  const isNarrow = text.trim() !== "" || standings.size > 0;
  const shown = isNarrow ? matching(drawing, filter) : [];
  const toggle = (standing: Standing): void => {
    const next = new Set(standings);
    if (!next.delete(standing)) next.add(standing);
    onFilter({ ...filter, standings: next });
  };
  const search = (words: string): void => {
    setTurn(0);
    onFilter({ ...filter, text: words });
  };
  const go = (event: KeyboardEvent): void => {
    const next = shown[turn % Math.max(1, shown.length)];
    if (event.key !== "Enter" || next === undefined) return;
    setTurn(turn + 1);
    onSelect(next.atom.id);
  };
  return (
    <>
      <span class="legend" role="group" aria-label="Show only">
        {[...drawing.counts].map(([standing, count]) => (
          <button
            key={standing}
            type="button"
            class={`key mark is-${standing}`}
            aria-pressed={standings.has(standing)}
            onClick={() => toggle(standing)}
          >
            <Icon name={standing} />
            {count} {STANDINGS[standing].words}
          </button>
        ))}
      </span>
      <span class="narrowed" role="status">
        {isNarrow ? `${shown.length} of ${drawing.atoms.size}` : ""}
      </span>
      <input
        type="search"
        class="search"
        placeholder="Search atoms"
        aria-label="Search atoms; Enter goes to the next"
        value={text}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={go}
      />
    </>
  );
}
