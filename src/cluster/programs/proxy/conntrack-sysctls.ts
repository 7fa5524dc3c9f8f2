import { readFile, writeFile } from 'node:fs/promises';
import type { Logger } from '../../../base/index.ts';
import type { ProxySettings } from './settings/proxy-fields.ts';

/** The largest table of connections that is asked for, whatever the number of processors. */
const MAX_ENTRIES = 1_048_576;
const HASHSIZE = '/sys/module/nf_conntrack/parameters/hashsize';
const FOLDER = '/proc/sys/net/netfilter';

type Conntrack = ProxySettings['conntrack'];

export interface SysctlOptions {
  readonly processors: number;
  readonly log: Logger;
}

/** What the kernel is to be given, by name in `net.netfilter`; what is 0 is left as it is. */
export function conntrackSysctls(conntrack: Conntrack, processors: number): ReadonlyMap<string, number> {
  const { tcpEstablishedTimeout, tcpCloseWaitTimeout, tcpBeLiberal, udpTimeout, udpStreamTimeout } = conntrack;
  const seconds = (ms: number): number => Math.trunc(ms / 1000);
  const wanted: readonly (readonly [string, number])[] = [
    ['nf_conntrack_max', maxEntries(conntrack, processors)],
    ['nf_conntrack_tcp_timeout_established', seconds(tcpEstablishedTimeout)],
    ['nf_conntrack_tcp_timeout_close_wait', seconds(tcpCloseWaitTimeout)],
    ['nf_conntrack_tcp_be_liberal', tcpBeLiberal ? 1 : 0],
    ['nf_conntrack_udp_timeout', seconds(udpTimeout)],
    ['nf_conntrack_udp_timeout_stream', seconds(udpStreamTimeout)],
  ];
  return new Map(wanted.filter(([, value]) => value > 0));
}

function maxEntries({ maxPerCore, min }: Conntrack, processors: number): number {
  if (maxPerCore <= 0) return 0;
  return Math.min(MAX_ENTRIES, Math.max(maxPerCore * processors, Math.min(min, MAX_ENTRIES)));
}

/** Sets them; throws for one that cannot be set. */
export async function setConntrackSysctls(conntrack: Conntrack, { processors, log }: SysctlOptions): Promise<void> {
  for (const [name, value] of conntrackSysctls(conntrack, processors)) {
    try {
      await setNumber(`${FOLDER}/${name}`, value, log);
      if (name === 'nf_conntrack_max') await growTable(value, log);
    } catch (cause) {
      throw new Error(`could not set conntrack parameters from kube-proxy configuration: ${name}=${value}`, { cause });
    }
  }
}

async function growTable(max: number, log: Logger): Promise<void> {
  const wanted = Math.trunc(max / 4);
  if (Number(await readFile(HASHSIZE, 'utf8')) < wanted) await setNumber(HASHSIZE, wanted, log);
}

async function setNumber(path: string, value: number, log: Logger): Promise<void> {
  if (Number(await readFile(path, 'utf8')) === value) return;
  log.info('setting of the kernel changed', { path, value });
  await writeFile(path, `${value}`);
}
