/** An order by a seed. */
import { createHash } from "node:crypto";

/** Each item's place is a digest of the seed and of where the item was, so that equal seeds give equal orders. */
export function shuffled(list, seed) {
  const keyOf = (place) => createHash("sha256").update(`${seed} ${place}`).digest("hex");
  const keyed = list.map((item, place) => ({ item, key: keyOf(place) }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
}
