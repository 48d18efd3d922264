/** Tabs that can also be changed with arrow keys. */
import type { JSX } from "preact";

interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
}

interface TabsProps {
  readonly name: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly children: JSX.Element;
}

export function Tabs({ name, tabs, chosen, onChoose, children }: TabsProps): JSX.Element {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={name} onKeyDown={onKeyDown}>
        {tabs.map(({ id, label, count }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === chosen}
            aria-controls={`${name}-panel`}
            tabIndex={id === chosen ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {label}
            {count === undefined || count === 0 ? null : <small>{count}</small>}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${name}-panel`} aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </>
  );
}
