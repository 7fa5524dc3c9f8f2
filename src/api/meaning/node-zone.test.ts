import { expect, test } from 'vitest';
import { zoneKeyOf } from './node-zone.ts';

const nodeWith = (labels: Record<string, string>): Parameters<typeof zoneKeyOf>[0] => ({ metadata: { labels } });

test('zones of different regions differ, and old labels take precedence', () => {
  const zone = { 'topology.kubernetes.io/zone': 'a' };
  expect(zoneKeyOf(nodeWith({ ...zone, 'topology.kubernetes.io/region': 'x' }))).not.toBe(zoneKeyOf(nodeWith(zone)));
  expect(zoneKeyOf(nodeWith({ ...zone, 'failure-domain.beta.kubernetes.io/zone': 'b' }))).toBe(
    zoneKeyOf(nodeWith({ 'topology.kubernetes.io/zone': 'b' })),
  );
  expect(zoneKeyOf(nodeWith({}))).toBe('');
});
