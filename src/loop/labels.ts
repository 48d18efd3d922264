/** Labels of workers, and of loops that ask for them (SPEC section 13): `gpu`, `claude`. */
import { accepted, refused, type Result } from "../core/problem.ts";

/** Of one worker: an engine knows it by every choice of them. */
export const MOST_LABELS = 5;

/** In their order, each once. */
export function readLabels(texts: readonly string[]): Result<readonly string[]> {
  const labels = [...new Set(texts)].toSorted();
  const bad = labels.find((label) => !/^[a-z0-9][a-z0-9_-]{0,29}$/.test(label));
  if (bad !== undefined)
    return refused(
      `${JSON.stringify(bad)} is no label`,
      "write at most 30 small letters, digits, `-` and `_`, such as gpu",
    );
  if (labels.length > MOST_LABELS)
    return refused(`${labels.length} labels are too many`, `name at most ${MOST_LABELS}`);
  return accepted(labels);
}

/** Every choice of one or more of them, each in its order. */
export function choicesOf(labels: readonly string[]): readonly (readonly string[])[] {
  return labels.reduce<readonly (readonly string[])[]>(
    (known, label) => [...known, ...known.map((some) => [...some, label]), [label]],
    [],
  );
}
