/**
 * A terminal whose cursor or screen a command changed is given back, however the process ends: by itself, by a
 * signal, by a defect; and while it is stopped (Ctrl-Z). Only SIGKILL leaves it as it is.
 */

export const HIDDEN_CURSOR = { take: "\u001b[?25l", give: "\u001b[?25h" };
/** The other screen, that of full-screen programs: what stood there before comes back. */
export const FULL_SCREEN = { take: "\u001b[?1049h\u001b[?25l", give: "\u001b[?25h\u001b[?1049l" };

export interface HoldOptions {
  /** May throw: a terminal that is gone needs nothing. */
  readonly write: (text: string) => void;
  readonly change: { readonly take: string; readonly give: string };
  /** The process is about to be stopped: what is drawn goes. */
  readonly leave?: () => void;
}

/** Changes the terminal now. @returns what gives it back; idempotent */
export function holdTerminal({ write, change, leave }: HoldOptions): () => void {
  let held = false;
  const put = (text: string): void => {
    try {
      write(text);
    } catch {
      // Nobody looks any more.
    }
  };
  const take = (): void => {
    held = true;
    put(change.take);
  };
  const give = (): void => {
    if (held) put(change.give);
    held = false;
  };
  const quit = (): void => {
    release();
    process.kill(process.pid, "SIGQUIT");
  };
  const pause = (): void => {
    leave?.();
    give();
    process.kill(process.pid, "SIGSTOP");
  };
  const handlers = { exit: give, SIGQUIT: quit, SIGTSTP: pause, SIGCONT: take };
  const release = (): void => {
    for (const [name, handler] of Object.entries(handlers)) process.removeListener(name, handler);
    give();
  };
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  take();
  return release;
}
