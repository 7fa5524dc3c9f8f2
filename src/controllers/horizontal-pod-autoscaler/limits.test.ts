import { expect, test } from 'vitest';
import { boundByBehavior, boundByDefault, type Recommendation } from './limits.ts';
import { ScaleHistory } from './scale-history.ts';

const MINUTE = 60_000;

function wish(current: number, recommended: number, nowMs: number): Recommendation {
  return { current, recommended, min: 1, max: 100, nowMs, downscaleStabilizationMs: 5 * MINUTE };
}

test('a recommendation counts until the window has passed, and no longer', () => {
  const history = new ScaleHistory(10, 0);
  expect(boundByDefault(wish(10, 8, MINUTE), history).replicas).toBe(10);
  expect(boundByDefault(wish(10, 3, 5 * MINUTE), history).replicas).toBe(10);
  expect(boundByDefault(wish(10, 3, 5 * MINUTE + 1), history)).toMatchObject({
    replicas: 8,
    ability: { reason: 'ScaleDownStabilized' },
  });
  expect(boundByDefault(wish(8, 3, 6 * MINUTE + 1), history)).toMatchObject({
    replicas: 3,
    ability: { reason: 'ReadyForNewScale' },
  });
});

test('a policy counts what was added and removed in its period', () => {
  const history = new ScaleHistory(10, 0);
  const scaleUp = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] };
  const behavior = { scaleUp, scaleDown: { stabilizationWindowSeconds: 0 } };
  expect(boundByBehavior(wish(10, 50, 1000), history, behavior)).toMatchObject({
    replicas: 14,
    limit: { isLimited: true, reason: 'ScaleUpLimit' },
  });
  history.changed(4, 1000, MINUTE);
  expect(boundByBehavior(wish(14, 50, 20_000), history, behavior).replicas).toBe(14);
  history.changed(-2, 30_000, MINUTE);
  expect(boundByBehavior(wish(12, 50, 40_000), history, behavior).replicas).toBe(14);
  expect(boundByBehavior(wish(12, 50, 1000 + MINUTE), history, behavior).replicas).toBe(18);
});

test('a percentage is rounded up when scaling up and down when scaling down', () => {
  const policies = [{ type: 'Percent', value: 10, periodSeconds: 60 }];
  const behavior = {
    scaleUp: { stabilizationWindowSeconds: 0, policies },
    scaleDown: { stabilizationWindowSeconds: 0, policies },
  };
  expect(boundByBehavior(wish(5, 50, 0), new ScaleHistory(5, 0), behavior).replicas).toBe(6);
  expect(boundByBehavior(wish(5, 1, 1), new ScaleHistory(5, 0), behavior).replicas).toBe(4);
});
