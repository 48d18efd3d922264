/** The layout of a sketch, made by the worker; until it comes the last one stands. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Layout, Sketch } from "../../view/layout.ts";

export function useLayout(sketch: Sketch): Layout | null {
  const [layout, setLayout] = useState<Layout | null>(null);
  const worker = useRef<Worker | null>(null);
  const asked = useRef(0);
  const shape = JSON.stringify(sketch);
  useEffect(() => {
    const made = new Worker(scriptUrl("/layout.js"));
    worker.current = made;
    return () => made.terminate();
  }, []);
  useEffect(() => {
    const own = ++asked.current;
    const made = worker.current;
    if (made === null) return undefined;
    const hear = (event: MessageEvent<{ readonly id: number; readonly layout: Layout }>): void => {
      if (event.data.id === own) setLayout(event.data.layout);
    };
    made.addEventListener("message", hear);
    made.postMessage({ id: own, sketch });
    return () => made.removeEventListener("message", hear);
  }, [shape]);
  return layout;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | null = null;

/** Only our own worker is ever started; browsers that know trusted types want that said. */
function scriptUrl(path: "/layout.js"): string {
  const types = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes;
  if (types === undefined) return path;
  policy ??= types.createPolicy("aot", { createScriptURL: (url) => url });
  return policy.createScriptURL(path);
}
