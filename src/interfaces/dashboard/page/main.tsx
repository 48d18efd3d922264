/** The page: chooses the loop to show, and shows the replies to actions. */
import { render, type JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { createApi, takeToken, type Listing, type LoopEntry, type Reply } from "../../../dashboard/page/api.ts";
import { Icon } from "../../../view/icons.tsx";
import { LoopView } from "../../../dashboard/page/loop-view.tsx";
import { PhasesView } from "../../../phases/page/phases.tsx";

const LISTING_EVERY_MS = 4_000;
const REPLY_SHOWN_MS = 9_000;

function App(): JSX.Element {
  const api = useMemo(() => createApi(takeToken()), []);
  const [listing, setListing] = useState<Listing | null | "none">("none");
  const [chosen, setChosen] = useState<LoopEntry | null>(keptChoice);
  const [reply, setReply] = useState<Reply | null>(null);
  useEffect(() => {
    let ended = false;
    const look = async (): Promise<void> => {
      try {
        const found = await api.listing();
        setListing((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found));
      } catch {
        // The server does not answer: keep the last listing.
      }
      if (!ended) setTimeout(() => void look(), LISTING_EVERY_MS);
    };
    void look();
    return () => {
      ended = true;
    };
  }, []);
  useEffect(() => {
    if (reply === null) return undefined;
    const timer = setTimeout(() => setReply(null), REPLY_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [reply]);
  if (listing === "none") return <p class="boot">Asking the dashboard…</p>;
  if (listing === null) return <Locked />;
  const loop = listing.loops.find(({ key }) => key === chosen?.key) ?? listing.loops[0];
  if (loop === undefined) return <p class="boot">There is no loop here.</p>;
  const choose = (entry: LoopEntry): void => {
    sessionStorage.setItem(CHOICE_KEY, JSON.stringify(entry));
    setChosen(entry);
    scrollTo(0, 0);
  };
  const props = {
    api,
    loop,
    canAct: listing.can_act,
    chooser: <Chooser listing={listing} chosen={loop} onChoose={choose} />,
    onReply: setReply,
  };
  const views = { atoms: LoopView, phases: PhasesView };
  const View = views[loop.kind];
  return (
    <>
      <View key={loop.key} {...props} />
      <footer>
        <span>
          aot {listing.version} · {loop.file}
        </span>
        {listing.can_act ? <ShareButton token={listing.share} /> : <span>for looking on only</span>}
      </footer>
      <div class="toasts" role="status">
        {reply === null ? null : <p class="toast">{reply.text}</p>}
      </div>
    </>
  );
}

const CHOICE_KEY = "aot-loop";

/** The loop that this tab showed before a reload. */
function keptChoice(): LoopEntry | null {
  try {
    return JSON.parse(sessionStorage.getItem(CHOICE_KEY) ?? "null") as LoopEntry | null;
  } catch {
    return null;
  }
}

function Locked(): JSX.Element {
  return (
    <main class="boot">
      <h1>This address lacks its token</h1>
      <p>
        Open the address that `aot dashboard` printed, with everything behind the #. A dashboard that was started again
        has a new one.
      </p>
    </main>
  );
}

interface ChooserProps {
  readonly listing: Listing;
  readonly chosen: LoopEntry;
  readonly onChoose: (loop: LoopEntry) => void;
}

function Chooser({ listing, chosen, onChoose }: ChooserProps): JSX.Element | null {
  if (listing.loops.length < 2) return null;
  return (
    <nav class="chooser" aria-label="Loops">
      {listing.loops.map((loop) => (
        <button
          key={loop.key}
          type="button"
          aria-current={loop.key === chosen.key ? "true" : undefined}
          title={loop.file}
          onClick={() => onChoose(loop)}
        >
          <Icon name={loop.kind === "atoms" ? "turn" : "split"} />
          {loop.name}
        </button>
      ))}
    </nav>
  );
}

function ShareButton({ token }: { readonly token: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(`${location.origin}/#${token}`).then(() => setCopied(true));
  };
  return (
    <button type="button" class="inline" onClick={copy}>
      {copied ? "Copied" : "Copy the address for looking on only"}
    </button>
  );
}

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
