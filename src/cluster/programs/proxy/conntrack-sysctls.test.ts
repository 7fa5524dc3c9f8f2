import { expect, test } from 'vitest';
import { conntrackSysctls } from './conntrack-sysctls.ts';
import { isKernelNewEnough } from './machine.ts';

const NOTHING = {
  maxPerCore: 0,
  min: 131_072,
  tcpEstablishedTimeout: 0,
  tcpCloseWaitTimeout: 0,
  tcpBeLiberal: false,
  udpTimeout: 0,
  udpStreamTimeout: 0,
};

test('what is 0 is left as it is', () => {
  expect([...conntrackSysctls(NOTHING, 8)]).toEqual([]);
});

test('the table grows with processors, from the minimum to a limit', () => {
  const max = (processors: number) =>
    conntrackSysctls({ ...NOTHING, maxPerCore: 32_768 }, processors).get('nf_conntrack_max');
  expect([1, 8, 1000].map(max)).toEqual([131_072, 262_144, 1_048_576]);
});

test('times are seconds', () => {
  const settings = { ...NOTHING, tcpEstablishedTimeout: 86_400_000, udpTimeout: 1500, tcpBeLiberal: true };
  expect(Object.fromEntries(conntrackSysctls(settings, 1))).toEqual({
    nf_conntrack_tcp_timeout_established: 86_400,
    nf_conntrack_tcp_be_liberal: 1,
    nf_conntrack_udp_timeout: 1,
  });
});

test('kernels before 5.13 are refused', () => {
  expect(['5.12.99', '5.13.0-rc1', '6.18.44-fc', '4.20'].map(isKernelNewEnough)).toEqual([false, true, true, false]);
});
