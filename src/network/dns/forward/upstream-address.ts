import { isIP } from 'node:net';

/** Where an upstream server listens. */
export interface UpstreamAddress {
  readonly host: string;
  readonly port: number;
}

const DNS_PORT = 53;

/** Reads `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`; undefined for anything else. */
export function parseUpstream(text: string): UpstreamAddress | undefined {
  const bracketed = /^\[([^\]]+)\](?::([0-9]{1,5}))?$/.exec(text);
  const plain = isIP(withoutZone(text)) === 6 ? [text, text, undefined] : /^([^:]+)(?::([0-9]{1,5}))?$/.exec(text);
  const [, host = '', digits] = bracketed ?? plain ?? [];
  const port = digits === undefined ? DNS_PORT : Number(digits);
  if (isIP(withoutZone(host)) === 0 || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** `192.0.2.1:53`, `[2001:db8::1]:53` */
export function formatUpstream({ host, port }: UpstreamAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A link-local address may name its interface: `fe80::1%eth0`. */
function withoutZone(host: string): string {
  const percent = host.indexOf('%');
  return percent < 0 ? host : host.slice(0, percent);
}
