/** The loop's status in the tab's title, and an optional notification when it halts. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { controlSentence } from "../../history/outcome-words.ts";
import { ToolButton } from "./parts.tsx";
import type { LiveScene } from "./scene.ts";

const NOTIFY_KEY = "aot-notify";
const isWanted = (): boolean => localStorage.getItem(NOTIFY_KEY) === "yes" && Notification.permission === "granted";

/** Notifies once when a loop halts that was running while the page was open. */
export function useHaltNotice(scene: LiveScene | null): void {
  const before = useRef<string | null>(null);
  const control = scene === null || scene.position !== null ? null : scene.state.control;
  const goal = scene?.state.objective.goal ?? "";
  const words = control === null ? "" : controlSentence(control).words;
  useEffect(() => {
    if (control === null) return;
    document.title = `${words} · ${goal}`;
    const halts = before.current === "running" && control.status !== "running";
    before.current = control.status;
    if (!halts || !isWanted()) return;
    const notice = new Notification(words, { body: goal, tag: "aot" });
    notice.addEventListener("click", () => window.focus());
  }, [control?.status, words, goal]);
}

/** Switches notifications; the browser may ask for permission. */
export function NoticeButton(): JSX.Element | null {
  const [on, setOn] = useState(() => typeof Notification !== "undefined" && isWanted());
  if (typeof Notification === "undefined") return null;
  const toggle = async (): Promise<void> => {
    const granted = !on && (await Notification.requestPermission()) === "granted";
    localStorage.setItem(NOTIFY_KEY, granted ? "yes" : "no");
    setOn(granted);
  };
  return (
    <ToolButton
      name={on ? "bell" : "quiet"}
      label={on ? "Notify no more when the loop halts" : "Notify me when the loop halts"}
      pressed={on}
      onClick={() => void toggle()}
    />
  );
}
