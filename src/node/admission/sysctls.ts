// Which kernel settings a pod may have of its own: those of namespaces that only its containers are in.
import type { Observed, Pod } from '../../client/index.ts';
import type { Rejection } from './node-admission.ts';

type Namespace = 'IPC' | 'Net';

/** Settings that affect no other pod, and the version of Linux from which they belong to a namespace. */
const SAFE: readonly (readonly [name: string, since?: string])[] = [
  ['kernel.shm_rmid_forced'],
  ['net.ipv4.ip_local_port_range'],
  ['net.ipv4.tcp_syncookies'],
  ['net.ipv4.ping_group_range'],
  ['net.ipv4.ip_unprivileged_port_start'],
  ['net.ipv4.ip_local_reserved_ports', '3.16'],
  ['net.ipv4.tcp_keepalive_time', '4.5'],
  ['net.ipv4.tcp_fin_timeout', '4.6'],
  ['net.ipv4.tcp_keepalive_intvl', '4.5'],
  ['net.ipv4.tcp_keepalive_probes', '4.5'],
  ['net.ipv4.tcp_rmem', '4.15'],
  ['net.ipv4.tcp_wmem', '4.15'],
];

const IPC_NAMES: ReadonlySet<string> = new Set([
  'kernel.sem',
  'kernel.shm',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
  'kernel.msg',
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
]);

interface Allowed {
  /** A name, or the part of a pattern before the `*`. */
  readonly text: string;
  readonly isPrefix: boolean;
  readonly namespace: Namespace;
}

/** The settings that a node allows: the safe ones, and those that its administrator adds. */
export class AllowedSysctls {
  readonly #allowed: readonly Allowed[];

  /** `unsafe` has names, and patterns that end with `*`. Throws for those that belong to no namespace. */
  constructor(kernelVersion: string, unsafe: readonly string[] = []) {
    const safe = SAFE.filter(([, since = '0']) => isAtLeast(kernelVersion, since)).map(([name]) => name);
    this.#allowed = [...safe, ...unsafe].map(parseAllowed);
  }

  reject({ spec }: Observed<Pod>): Rejection | undefined {
    for (const { name } of spec?.securityContext?.sysctls ?? []) {
      const problem = this.#problemOf(dotted(name), { Net: spec?.hostNetwork === true, IPC: spec?.hostIPC === true });
      if (problem !== undefined) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` };
    }
    return undefined;
  }

  #problemOf(name: string, isHost: Readonly<Record<Namespace, boolean>>): string | undefined {
    const found =
      this.#allowed.find(({ text, isPrefix }) => !isPrefix && text === name) ??
      this.#allowed.find(({ text, isPrefix }) => isPrefix && name.startsWith(text));
    if (found === undefined) return `${JSON.stringify(name)} not allowlisted`;
    return isHost[found.namespace]
      ? `${JSON.stringify(name)} not allowed with host ${found.namespace} enabled`
      : undefined;
  }
}

function parseAllowed(pattern: string): Allowed {
  const name = dotted(pattern);
  const star = name.indexOf('*');
  const text = star < 0 ? name : name.slice(0, star);
  const namespace = namespaceOf(text);
  if (namespace === undefined) throw new Error(`the sysctls ${JSON.stringify(text)} are not known to be namespaced`);
  return { text, isPrefix: star >= 0, namespace };
}

function namespaceOf(name: string): Namespace | undefined {
  if (IPC_NAMES.has(name) || name.startsWith('fs.mqueue.')) return 'IPC';
  return name.startsWith('net.') ? 'Net' : undefined;
}

/** `net/ipv4/conf/eno2.100/rp_filter` is `net.ipv4.conf.eno2/100.rp_filter`: whichever separator comes first separates. */
function dotted(name: string): string {
  if (/[./]/.exec(name)?.[0] !== '/') return name;
  return name.replaceAll(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}

function isAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((text) => text.split(/[.-]/).map(Number));
  for (const [index, part] of (need ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
