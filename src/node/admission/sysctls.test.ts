import { expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { AllowedSysctls } from './sysctls.ts';

function podWith(name: string, spec: Partial<NonNullable<Pod['spec']>> = {}): Observed<Pod> {
  const securityContext = { sysctls: [{ name, value: '1' }] };
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1' },
    spec: { containers: [], securityContext, ...spec },
  } as unknown as Observed<Pod>;
}

const forbidden = (words: string): object => ({ reason: 'SysctlForbidden', message: `forbidden sysctl: ${words}` });

test('safe settings are allowed, whichever separator they are written with', () => {
  const allowed = new AllowedSysctls('6.1.0-13-amd64');
  expect(allowed.reject(podWith('net.ipv4.tcp_rmem'))).toBeUndefined();
  expect(allowed.reject(podWith('net/ipv4/ip_local_port_range'))).toBeUndefined();
  expect(allowed.reject(podWith('kernel.msgmax'))).toEqual(forbidden('"kernel.msgmax" not allowlisted'));
});

test('a setting that the kernel shares between pods is not safe', () => {
  expect(new AllowedSysctls('4.14.9').reject(podWith('net.ipv4.tcp_rmem'))).toEqual(
    forbidden('"net.ipv4.tcp_rmem" not allowlisted'),
  );
  expect(new AllowedSysctls('4.15').reject(podWith('net.ipv4.tcp_rmem'))).toBeUndefined();
});

test('settings of a namespace that the pod shares with the machine are refused', () => {
  const allowed = new AllowedSysctls('6.1');
  expect(allowed.reject(podWith('net.ipv4.tcp_syncookies', { hostNetwork: true }))).toEqual(
    forbidden('"net.ipv4.tcp_syncookies" not allowed with host Net enabled'),
  );
  expect(allowed.reject(podWith('kernel.shm_rmid_forced', { hostIPC: true }))).toEqual(
    forbidden('"kernel.shm_rmid_forced" not allowed with host IPC enabled'),
  );
});

test('an administrator allows more by name and by pattern, as far as they belong to a namespace', () => {
  const allowed = new AllowedSysctls('6.1', ['kernel.msg*', 'net.core.somaxconn']);
  expect(allowed.reject(podWith('kernel.msgmnb'))).toBeUndefined();
  expect(allowed.reject(podWith('net.core.somaxconn'))).toBeUndefined();
  expect(() => new AllowedSysctls('6.1', ['vm.*'])).toThrow('the sysctls "vm." are not known to be namespaced');
});
