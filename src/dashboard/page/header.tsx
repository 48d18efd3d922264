/** The top of the page: which loop, its status, and whether the server is connected. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Link } from "./api.ts";
import { StatusPill } from "../../view/icons.tsx";
import { NoticeButton } from "./halt-notice.tsx";
import { ToolButton } from "./parts.tsx";

interface HeaderProps {
  readonly title: string;
  readonly status: string;
  readonly link: Link;
  readonly chooser: JSX.Element | null;
  readonly children: ComponentChildren;
}

const LINK_WORDS: Readonly<Record<Link, string>> = {
  connecting: "connecting",
  live: "live",
  lost: "reconnecting",
  refused: "not allowed",
};

export function Header({ title, status, link, chooser, children }: HeaderProps): JSX.Element {
  return (
    <header class="top">
      <div class="brand">
        <img src="/icon.svg" alt="" width="22" height="22" />
        <span>AoT Loop</span>
      </div>
      {chooser}
      <h1>{title}</h1>
      <StatusPill status={status} />
      <span class={`link link-${link}`} role="status">
        <i aria-hidden="true" />
        {LINK_WORDS[link]}
      </span>
      <div class="top-actions">
        {children}
        <NoticeButton />
        <ThemeButton />
      </div>
    </header>
  );
}

const THEMES = ["system", "light", "dark"] as const;

function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState(() => THEMES.find((one) => one === localStorage.getItem("aot-theme")) ?? "system");
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    localStorage.setItem("aot-theme", theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <ToolButton
      name="theme"
      label={`Colours: ${theme}. Change to ${next}`}
      title={`Colours: ${theme}`}
      onClick={() => setTheme(next)}
    />
  );
}
