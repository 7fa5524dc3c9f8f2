import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { readImagePolicySettings } from './image-policy-settings.ts';
import { RecentVerdicts } from './recent-verdicts.ts';

/** The messages with which kube-apiserver 1.36.3 refuses to start. */
test.each([
  [undefined, 'no config specified'],
  [
    '{}',
    'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
  ],
  ['imagePolicy: {kubeConfigFile: /nowhere, allowTTL: 100000}', 'valid value is between 1s and 30m0s, got 27h46m40s'],
  ['imagePolicy: {kubeConfigFile: /nowhere, retryBackoff: -2}', 'valid value is between 1ns and 5m0s, got -2ms'],
  ['imagePolicy: {kubeConfigFile: /nowhere, denyTTL: -1, foo: 1}', 'stat /nowhere: no such file or directory'],
])('%j is refused', (text, problem) => {
  expect(() => readImagePolicySettings(text)).toThrow(new Error(problem));
});

test('verdicts are cached for their TTL, and no more than 1024 of them', async () => {
  const clock = new VirtualClock();
  const verdicts = new RecentVerdicts(clock);
  const spec = (image: string): { containers: { image: string }[] } => ({ containers: [{ image }] });
  verdicts.add(spec('a'), { allowed: true }, 1000);
  verdicts.add(spec('b'), { allowed: false }, 0);
  expect(verdicts.get(spec('a'))).toEqual({ allowed: true });
  expect(verdicts.get(spec('b'))).toBeUndefined();
  await clock.advance('1s');
  expect(verdicts.get(spec('a'))).toBeUndefined();

  for (let index = 0; index < 1025; index++) verdicts.add(spec(String(index)), { allowed: true }, 1000);
  expect([verdicts.get(spec('0')), verdicts.get(spec('1'))]).toEqual([undefined, { allowed: true }]);
});
