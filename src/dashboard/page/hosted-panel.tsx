/** A loop on an engine: which worker does what, what was begun again, and which late results were refused. */
import type { JSX } from "preact";
import type { HostedMessage } from "../messages.ts";
import { clock } from "../../view/words.ts";

export function HostedPanel({ hosted }: { readonly hosted: HostedMessage }): JSX.Element {
  const { engine, working, reruns, refused } = hosted;
  return (
    <section class="panel hosted" aria-labelledby="hosted-title">
      <h2 id="hosted-title">
        On {engine}
        <small>
          {reruns === 0 ? "nothing was begun again" : `${reruns} begun again`}, {refused.length} late results refused
        </small>
      </h2>
      {working.length === 0 ? <p class="empty">No task is under way.</p> : null}
      <ul class="tasks">
        {working.map(({ task, worker, runs }) => (
          <li key={task} data-task={task}>
            <b>{task}</b> {worker === null ? "waits for a worker" : `on ${worker}`}
            {runs > 1 ? <small> run {runs}</small> : null}
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <ol class="events">
          {refused
            .slice(-5)
            .reverse()
            .map(({ task, run, at, reason }) => (
              <li key={`${task} ${run} ${at}`}>
                <time>{clock(at)}</time>
                <span>
                  a late result of {task} (run {run}) was refused: {reason}
                </span>
              </li>
            ))}
        </ol>
      )}
    </section>
  );
}
