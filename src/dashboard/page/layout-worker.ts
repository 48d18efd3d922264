/** Web worker that lays graphs out, so that the page never freezes (SPEC section 10: 1,000 atoms without stutter). */
import { layoutOf, type Sketch } from "../../view/layout.ts";

interface Ask {
  readonly id: number;
  readonly sketch: Sketch;
}

self.addEventListener("message", (event: MessageEvent<Ask>) => {
  const { id, sketch } = event.data;
  self.postMessage({ id, layout: layoutOf(sketch) });
});
