export function bundleSource(
  source: string,
  file: string,
  change?: { readonly file: string; readonly find: string; readonly replace: string },
): Promise<void>;
