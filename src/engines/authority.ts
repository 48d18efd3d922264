/** Host and port as an address has them. */
export function authorityOf(host: string, port: number): string {
  return `${hostInAddress(host)}:${port}`;
}

/** Of IPv6 a host stands in brackets. */
export function hostInAddress(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
