import { expect, test } from 'vitest';
import type { PodSpec, ResourceRequirements } from '../types/core/v1.d.ts';
import { qosClass } from './pod-qos.ts';

function pod(...resources: ResourceRequirements[]): PodSpec {
  return { containers: resources.map((own, index) => ({ name: `c${index}`, image: 'x', resources: own })) };
}

const FULL = { cpu: '1', memory: '1Gi' };

test.each([
  ['nothing asked for', pod({}), 'BestEffort'],
  ['as much asked for as allowed', pod({ limits: FULL, requests: FULL }), 'Guaranteed'],
  [
    'the same amounts written in another way',
    pod({ limits: FULL, requests: { cpu: '1000m', memory: '1024Mi' } }),
    'Guaranteed',
  ],
  ['one container without limits', pod({ limits: FULL, requests: FULL }, {}), 'Burstable'],
  ['less asked for than allowed', pod({ limits: FULL, requests: { cpu: '1m', memory: '1Gi' } }), 'Burstable'],
  ['only zeros', pod({ requests: { cpu: '0' } }), 'BestEffort'],
  ['only a device', pod({ limits: { 'example.com/gpu': '1' } }), 'BestEffort'],
] as const)('a pod with %s', (_, spec, expected) => {
  expect(qosClass(spec)).toBe(expected);
});
