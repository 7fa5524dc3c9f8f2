import { expect, test } from 'vitest';
import { DeviceSelectors } from '../device-selectors.ts';

const KINDS = ['isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'] as const;

function is(kind: string, address: string): boolean {
  const selectors = new DeviceSelectors();
  const compiled = selectors.compile(`ip('${address}').${kind}()`);
  if (!compiled.ok) throw new Error(compiled.problem.detail);
  const answer = selectors.matches(compiled.program, { driver: 'd', attributes: {}, capacity: {} });
  return answer.ok && answer.matches;
}

test.each([
  ['0.0.0.0', ['isUnspecified']],
  ['::', ['isUnspecified']],
  ['127.1.2.3', ['isLoopback']],
  ['::1', ['isLoopback']],
  ['224.0.0.251', ['isLinkLocalMulticast']],
  ['224.0.1.1', []],
  ['ff02::1', ['isLinkLocalMulticast']],
  ['ff05::1', []],
  ['169.254.169.254', ['isLinkLocalUnicast']],
  ['169.253.0.1', ['isGlobalUnicast']],
  ['fe80::1', ['isLinkLocalUnicast']],
  ['fec0::1', ['isGlobalUnicast']],
  ['10.0.0.1', ['isGlobalUnicast']],
  ['255.255.255.255', []],
])('%s is %s', (address, expected) => {
  expect(KINDS.filter((kind) => is(kind, address))).toEqual(expected);
});
