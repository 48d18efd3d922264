export interface BytePipe {
  readonly readable: ReadableStream<Uint8Array>;
  push(chunk: Uint8Array): void;
  end(): void;
  /** More than it may hold was waiting: it took no more. */
  overflowed(): boolean;
}

/**
 * Bytes that come by calls, to be read as a stream.
 * @param most bytes that may wait to be read
 * @param onOverflow called once when more would wait
 */
export function createBytePipe(most: number, onOverflow: () => void): BytePipe {
  let sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  let overflowed = false;
  const readable = new ReadableStream<Uint8Array>(
    { start: (controller) => void (sink = controller), cancel: () => void (sink = undefined) },
    new ByteLengthQueuingStrategy({ highWaterMark: most }),
  );
  const end = (): void => {
    sink?.close();
    sink = undefined;
  };
  return {
    readable,
    push(chunk) {
      if (sink === undefined) return;
      sink.enqueue(chunk);
      if ((sink.desiredSize ?? 0) > 0) return;
      overflowed = true;
      end();
      onOverflow();
    },
    end,
    overflowed: () => overflowed,
  };
}
