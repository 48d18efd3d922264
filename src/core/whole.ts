/**
 * An object with every key of `T`, those that may be missing too. A copy that is written out key by key says
 * `satisfies Whole<T>`: a key that `T` gets later is an error there, instead of lost.
 */
export type Whole<T> = { readonly [K in keyof Required<T>]: T[K] };
