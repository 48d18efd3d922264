/** Dialogs that confirm each action on a loop before it is sent. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Api, Reply } from "./api.ts";

export interface Action {
  readonly command: string;
  /** An edited plan: the text wanted, and the text as it was shown. */
  readonly plan?: { readonly text: string; readonly shown: string };
  readonly args?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
}

export interface ActionProps {
  readonly api: Api;
  readonly loop: string;
  readonly onClose: (reply: Reply | null) => void;
}

interface ConfirmProps extends ActionProps {
  readonly title: string;
  readonly doIt: string;
  readonly children: ComponentChildren;
  readonly action: () => Action;
  readonly grave?: boolean;
  readonly wide?: boolean;
}

/** Sends the action; if it is refused, stays open and shows the reason. */
export function Confirm({
  title,
  doIt,
  children,
  action,
  api,
  loop,
  onClose,
  grave = false,
  wide = false,
}: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    setBusy(true);
    setRefused("");
    void ask();
  };
  const ask = async (): Promise<void> => {
    const reply = await api.act(loop, action());
    setBusy(false);
    if (reply.ok) onClose(reply);
    else setRefused(reply.text);
  };
  return (
    <dialog
      ref={dialog}
      class={wide ? "is-wide" : ""}
      aria-labelledby="dialog-title"
      onClose={() => onClose(null)}
      onCancel={() => onClose(null)}
    >
      <form onSubmit={submit}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        <p class="refused" role="alert">
          {refused}
        </p>
        <div class="dialog-buttons">
          <button type="button" class="plain" onClick={() => onClose(null)}>
            Cancel
          </button>
          <button type="submit" class={grave ? "grave" : "main"} disabled={busy}>
            {busy ? "Asking…" : doIt}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: JSX.Element;
}

export function Labelled({ label, hint, children }: LabelledProps): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {hint === undefined ? null : <small>{hint}</small>}
    </label>
  );
}

export function StopDialog(props: ActionProps): JSX.Element {
  const [reason, setReason] = useState("");
  const [now, setNow] = useState(false);
  const action = (): Action => ({ command: "stop", args: { reason }, flags: now ? { now: "true" } : {} });
  return (
    <Confirm {...props} title="Stop the loop?" doIt="Stop the loop" grave action={action}>
      <p>Attempts in flight are finished, then the loop stops with its state kept. Resume takes it up again.</p>
      <label class="check">
        <input type="checkbox" checked={now} onChange={(event) => setNow(event.currentTarget.checked)} /> End the agents
        at once instead
      </label>
      <Labelled label="Why (for the journal)">
        <input type="text" name="reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </Labelled>
    </Confirm>
  );
}

const RESUME: Action = { command: "resume" };

export function ResumeDialog(props: ActionProps): JSX.Element {
  return (
    <Confirm {...props} title="Take up the loop?" doIt="Resume" action={() => RESUME}>
      <p>
        The loop goes on from its state, in the background, with the agents and flags of its last run. A limit that is
        spent stays spent: redirect raises it.
      </p>
    </Confirm>
  );
}

/** Decides one item, like `aot confirm` and `aot reject`. @param items those that wait for a person */
export function DecideDialog({ items, ...props }: ActionProps & { readonly items: readonly string[] }): JSX.Element {
  const [item, setItem] = useState(items[0] ?? "");
  const [holds, setHolds] = useState(true);
  const [reason, setReason] = useState("");
  const action = (): Action =>
    holds ? { command: "confirm", args: { item } } : { command: "reject", args: { item }, flags: { reason } };
  return (
    <Confirm {...props} title="Does it hold?" doIt={holds ? "Confirm" : "Reject"} grave action={action}>
      <p>Only a human can say so. Then the loop can be resumed; the reason of a rejection becomes work.</p>
      <Labelled label="Item">
        <select value={item} onChange={(event) => setItem(event.currentTarget.value)}>
          {items.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Labelled>
      <label class="check">
        <input type="checkbox" checked={!holds} onChange={(event) => setHolds(!event.currentTarget.checked)} /> It does
        not hold
      </label>
      {!holds && (
        <Labelled label="What is missing">
          <input type="text" name="reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </Labelled>
      )}
    </Confirm>
  );
}

// ── gates ───────────────────────────────────────────────────────────────────

interface GateProps extends ActionProps {
  readonly gate: string;
  readonly decision: "approve" | "reject" | "skip-gate";
}

const DECISIONS = {
  approve: {
    title: "Approve the gate",
    doIt: "Approve",
    words: "A human passes the gate, and the next phase may start.",
  },
  reject: {
    title: "Send the gate back",
    doIt: "Send back",
    words: "The gate fails; what was wrong is put right before it is looked at again.",
  },
  "skip-gate": {
    title: "Skip the gate",
    doIt: "Skip",
    words: "The loop goes on without the gate. A required one needs a reason.",
  },
};

export function GateDialog({ gate, decision, ...props }: GateProps): JSX.Element {
  const [reason, setReason] = useState("");
  const { title, doIt, words } = DECISIONS[decision];
  const flags = decision === "approve" ? {} : { reason };
  const action = (): Action => ({ command: `phases ${decision}`, args: { gate }, flags });
  return (
    <Confirm {...props} title={`${title} ${gate}?`} doIt={doIt} grave={decision !== "approve"} action={action}>
      <p>{words}</p>
      {decision === "approve" ? null : (
        <Labelled label="Why">
          <textarea
            name="reason"
            rows={3}
            required={decision === "reject"}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </Labelled>
      )}
    </Confirm>
  );
}
