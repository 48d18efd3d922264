/** A work graph drawn in any format that other programs show. What lays it out is loaded only where it is wanted. */
import type { State } from "../core/state.ts";
import { mermaidText } from "./graph-text.ts";

export type PictureFormat = "mermaid" | "svg" | "html";

/** The picture as text in that format; `svg` and `html` are one file each that loads nothing. */
export async function graphPicture(state: State, format: PictureFormat): Promise<string> {
  switch (format) {
    case "mermaid":
      return mermaidText(state);
    case "svg": {
      const { graphSvg } = await import("./graph-drawing.tsx");
      return graphSvg(state);
    }
    case "html": {
      const { graphHtml } = await import("./report-page.tsx");
      return graphHtml(state);
    }
  }
}
