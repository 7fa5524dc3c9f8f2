import { readFile } from 'node:fs/promises';
import { parseUpstream, type UpstreamAddress } from './upstream-address.ts';

/**
 * Files that name the machine's upstream servers, best first. Where systemd-resolved runs, the usual file names only its own stub on
 * loopback, and the servers behind it are in a file of its own.
 */
export const RESOLV_CONF_FILES: readonly string[] = [
  '/etc/resolv.conf',
  '/run/systemd/resolve/resolv.conf',
  '/run/NetworkManager/resolv.conf',
  '/run/NetworkManager/no-stub-resolv.conf',
];

/** Upstream servers that are asked; glibc asks three. */
const MAX_SERVERS = 15;

export interface FoundUpstreams {
  /** Undefined when no file names a server. */
  readonly file: string | undefined;
  readonly upstreams: readonly UpstreamAddress[];
}

/** The servers that a resolv.conf(5) names, in order, each once. */
export function nameservers(text: string): readonly UpstreamAddress[] {
  const found = new Map<string, UpstreamAddress>();
  for (const line of text.split('\n')) {
    const [keyword, value] = line.trim().split(/\s+/);
    if (keyword !== 'nameserver' || value === undefined || found.size === MAX_SERVERS) continue;
    const upstream = parseUpstream(value);
    if (upstream !== undefined) found.set(value, upstream);
  }
  return [...found.values()];
}

/**
 * The first file that names a server that is not on loopback; else the first that names any. Files that cannot be read are passed
 * over.
 */
export async function findUpstreams(files: readonly string[] = RESOLV_CONF_FILES): Promise<FoundUpstreams> {
  let onLoopback: FoundUpstreams | undefined;
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => ''); // most machines have one of them
    const upstreams = nameservers(text);
    const others = upstreams.filter(({ host }) => !isLoopback(host));
    if (others.length > 0) return { file, upstreams: others };
    if (upstreams.length > 0) onLoopback ??= { file, upstreams };
  }
  return onLoopback ?? { file: undefined, upstreams: [] };
}

function isLoopback(host: string): boolean {
  return host.startsWith('127.') || host === '::1';
}
