import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { ProxyHealth } from './proxy-health.ts';

test('a family is unhealthy while a change has waited for too long, and the proxy with it', async () => {
  const clock = new VirtualClock();
  const health = new ProxyHealth(clock, 60_000);
  expect(health.report()).toMatchObject({ isHealthy: true, lastUpdatedMs: 0 });
  health.updated('IPv4');
  health.updated('IPv6');
  const startMs = clock.now();
  health.queued('IPv4');
  await clock.advance(30_000);
  health.queued('IPv4'); // the first one counts
  health.updated('IPv6');
  await clock.advance(29_999);
  expect(health.report().isHealthy).toBe(true);
  await clock.advance(1);
  const { isHealthy, lastUpdatedMs, families } = health.report();
  expect([isHealthy, lastUpdatedMs - startMs]).toEqual([false, 30_000]);
  expect([...families]).toEqual([
    ['IPv4', { isHealthy: false, lastUpdatedMs: startMs }],
    ['IPv6', { isHealthy: true, lastUpdatedMs: startMs + 30_000 }],
  ]);
  health.updated('IPv4');
  expect(health.report().isHealthy).toBe(true);
});
