/** The size of a terminal. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

/** As it is now; a terminal that does not tell its size says 0. */
export function screenOf(stream: { readonly columns?: number; readonly rows?: number }): Screen {
  return { columns: stream.columns || 80, rows: stream.rows || 24 };
}
