/** Small components that several views use. */
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../view/icons.tsx";
import type { Link } from "./api.ts";

interface ToolProps {
  readonly name: string;
  readonly label: string;
  readonly onClick: () => void;
  readonly title?: string;
  readonly disabled?: boolean;
  /** Present: it is a toggle button. */
  readonly pressed?: boolean;
}

export function ToolButton({ name, label, onClick, title = label, disabled = false, ...more }: ToolProps): JSX.Element {
  const pressed = more.pressed === undefined ? {} : { "aria-pressed": more.pressed };
  return (
    <button type="button" class="tool" aria-label={label} title={title} {...{ disabled, onClick }} {...pressed}>
      <Icon name={name} />
    </button>
  );
}

export function Problem({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  if (children === null || children === undefined) return null;
  return (
    <p class="banner is-problem" role="alert">
      {children}
    </p>
  );
}

export function LostLink({ link }: { readonly link: Link }): JSX.Element | null {
  if (link !== "lost") return null;
  return <p class="banner is-halted">Connection lost. This is the last known state; retrying.</p>;
}

interface SwitchProps<Id extends string> {
  readonly label: string;
  readonly choices: Readonly<Partial<Record<Id, string>>>;
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

export function Switch<Id extends string>({ label, choices, chosen, onChoose }: SwitchProps<Id>): JSX.Element {
  return (
    <span class="switch" role="group" aria-label={label}>
      {(Object.keys(choices) as Id[]).map((one) => (
        <button key={one} type="button" aria-pressed={chosen === one} onClick={() => onChoose(one)}>
          {choices[one]}
        </button>
      ))}
    </span>
  );
}
