/** Redirects the loop by a form or by editing the plan. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { REDIRECT_KINDS, REDIRECTS, type Change, type Offer, type RedirectField } from "../../core/redirect.ts";
import type { State } from "../../core/state.ts";
import { Confirm, Labelled, type Action, type ActionProps } from "./dialogs.tsx";
import { Switch } from "./parts.tsx";

const OFFERS: Readonly<Record<Offer, (state: State) => readonly string[]>> = {
  "open atoms": ({ atoms }) => idsWhere(atoms, (status) => status !== "resolved"),
  "resolved atoms": ({ atoms }) => idsWhere(atoms, (status) => status === "resolved"),
  groups: ({ or_groups }) => or_groups.map(({ name }) => name),
  choices: ({ or_groups }) => or_groups.flatMap(({ choices }) => choices),
};

function idsWhere(atoms: State["atoms"], wanted: (status: string) => boolean): readonly string[] {
  return atoms.flatMap(({ id, status }) => (wanted(status) ? [id] : []));
}

/** The options of a field; undefined: free text. */
function choicesOf({ choices, offer, optional }: RedirectField, state: State): readonly string[] | undefined {
  const all = offer === undefined ? choices : OFFERS[offer](state);
  return optional !== undefined && all !== undefined ? ["", ...all] : all;
}

const REDIRECT_WAYS = { form: "One change", plan: "Edit the plan" } as const;

interface Plan {
  readonly text: string;
  readonly shown: string;
}

async function readPlan({ api, loop }: ActionProps): Promise<Plan> {
  const { text = "" } = (await api.read(`/api/loops/${loop}/plan`)) as { readonly text?: string };
  return { text, shown: text };
}

interface RedirectProps extends ActionProps {
  readonly state: State;
}

export function RedirectDialog({ state, ...props }: RedirectProps): JSX.Element {
  const [kind, setKind] = useState<Change["kind"]>("limit");
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const { fields, effect } = REDIRECTS[kind];
  const valueOf = (field: RedirectField): string => given[field.name] ?? choicesOf(field, state)?.[0] ?? "";
  const [plan, setPlan] = useState<Plan | null>(null);
  const action = (): Action => {
    if (plan !== null) return { command: "redirect", plan, flags: { reason: given["reason"] ?? "" } };
    const of = (isFlag: boolean): Record<string, string> =>
      Object.fromEntries(
        fields
          .filter((field) => (field.flag !== undefined) === isFlag)
          .filter((field) => field.optional !== "unset" || valueOf(field) !== "")
          .map((field) => [field.name, valueOf(field)]),
      );
    return { command: `redirect ${kind}`, args: of(false), flags: { ...of(true), reason: given["reason"] ?? "" } };
  };
  const set = (name: string, value: string): void => setGiven({ ...given, [name]: value });
  const choose = (name: string): void => {
    setGiven({});
    setKind(REDIRECT_KINDS.find((one) => one === name) ?? kind);
  };
  return (
    <Confirm {...props} title="Redirect the loop" doIt="Redirect" grave wide={plan !== null} action={action}>
      <Switch
        label="How to redirect"
        choices={REDIRECT_WAYS}
        chosen={plan === null ? "form" : "plan"}
        onChoose={(way) => (way === "form" ? setPlan(null) : void readPlan(props).then(setPlan))}
      />
      {plan === null ? (
        <ChangeFields kind={kind} state={state} valueOf={valueOf} onKind={choose} onValue={set} />
      ) : (
        <PlanField plan={plan} onPlan={setPlan} />
      )}
      <Labelled label="Why (for the journal)">
        <input
          type="text"
          name="reason"
          value={given["reason"] ?? ""}
          onInput={(event) => set("reason", event.currentTarget.value)}
        />
      </Labelled>
      <p class="note">
        {plan === null ? effect : "Checks that are new are run once."} Agents whose work it changes are ended and what
        they were doing is discarded; the others go on.
      </p>
    </Confirm>
  );
}

function PlanField({ plan, onPlan }: { readonly plan: Plan; readonly onPlan: (plan: Plan) => void }): JSX.Element {
  const hint =
    "A field that you delete stays as it is. An atom that you delete is removed, one with a new id is added.";
  return (
    <Labelled label="The plan" hint={hint}>
      <textarea
        class="plan"
        name="plan"
        rows={22}
        spellcheck={false}
        value={plan.text}
        onInput={(event) => onPlan({ ...plan, text: event.currentTarget.value })}
      />
    </Labelled>
  );
}

interface ChangeProps {
  readonly kind: Change["kind"];
  readonly state: State;
  readonly valueOf: (field: RedirectField) => string;
  readonly onKind: (kind: string) => void;
  readonly onValue: (field: string, value: string) => void;
}

function ChangeFields({ kind, state, valueOf, onKind, onValue }: ChangeProps): JSX.Element {
  return (
    <>
      <Labelled label="What">
        <select name="kind" value={kind} onChange={(event) => onKind(event.currentTarget.value)}>
          {REDIRECT_KINDS.map((one) => (
            <option key={one} value={one}>
              {REDIRECTS[one].label}
            </option>
          ))}
        </select>
      </Labelled>
      {REDIRECTS[kind].fields.map((field) => (
        <FieldInput
          key={`${kind} ${field.name}`}
          field={field}
          state={state}
          value={valueOf(field)}
          onValue={(value) => onValue(field.name, value)}
        />
      ))}
    </>
  );
}

interface FieldProps {
  readonly field: RedirectField;
  readonly state: State;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function FieldInput({ field, state, value, onValue }: FieldProps): JSX.Element {
  const { label, hint, name, type } = field;
  const choices = choicesOf(field, state);
  const own = { name, value, required: field.optional === undefined };
  const input =
    choices !== undefined ? (
      <select {...own} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === "" ? "none" : choice}
          </option>
        ))}
      </select>
    ) : type === "text" || type === "objective" ? (
      <textarea {...own} rows={3} onInput={(event) => onValue(event.currentTarget.value)} />
    ) : (
      <input type="text" {...own} onInput={(event) => onValue(event.currentTarget.value)} />
    );
  return (
    <Labelled label={label} {...(hint === undefined ? {} : { hint })}>
      {input}
    </Labelled>
  );
}
