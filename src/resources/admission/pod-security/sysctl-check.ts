import type { Check, SecuredPod, Violation } from './check.ts';

const SAFE = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SAFE_IN_27 = [...SAFE, 'net.ipv4.ip_local_reserved_ports'];
const SAFE_IN_29 = [
  ...SAFE_IN_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SAFE_IN_32 = [...SAFE_IN_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** Baseline: only namespaced kernel parameters. */
export const sysctls: Check = {
  id: 'sysctls',
  revisions: [
    { since: 0, judge: judgeWith(SAFE) },
    { since: 27, judge: judgeWith(SAFE_IN_27) },
    { since: 29, judge: judgeWith(SAFE_IN_29) },
    { since: 32, judge: judgeWith(SAFE_IN_32) },
  ],
};

function judgeWith(safe: readonly string[]): (pod: SecuredPod) => Violation | undefined {
  const allowed = new Set(safe);
  return ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}
