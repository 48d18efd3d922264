/**
 * Server-sent events to one client, bounded.
 *
 * S1 a client that does not read is let go: what waits for it never exceeds MOST_WAITING bytes by more than one message;
 *    it comes again and is told everything anew.
 */
import type { ServerResponse } from "node:http";

export interface EventStream {
  send(event: string, value: object): void;
  /** Called once, whoever ended it. */
  onEnd(then: () => void): void;
  end(): void;
}

const MOST_WAITING = 32 * 1024 * 1024;
/** So that both sides notice when the other is gone. Milliseconds. */
const BEAT_MS = 10_000;

export function openStream(response: ServerResponse): EventStream {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
  response.write(": aot\n\n");
  const beat = setInterval(() => response.write(": beat\n\n"), BEAT_MS);
  let ended = false;
  let told: () => void = () => {};
  const finish = (): void => {
    if (ended) return;
    ended = true;
    clearInterval(beat);
    told();
  };
  response.on("close", finish);
  return {
    send(event, value) {
      if (ended) return;
      if (response.writableLength > MOST_WAITING) {
        response.destroy();
        return finish();
      }
      response.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
    },
    onEnd: (then) => (told = then),
    end: () => {
      response.end();
      finish();
    },
  };
}
