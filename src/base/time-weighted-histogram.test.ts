import { expect, test } from 'vitest';
import { MetricRegistry } from './metric-registry.ts';
import { timeWeightedHistogram } from './time-weighted-histogram.ts';
import { VirtualClock } from './virtual-clock.ts';

test('a time-weighted histogram counts the nanoseconds that a value spent in each bucket', async () => {
  const clock = new VirtualClock();
  const metrics = new MetricRegistry();
  const use = timeWeightedHistogram(metrics, { name: 'use', help: 'Use.', labels: ['level'], buckets: [0, 1] }, clock);
  const high = use.with({ level: 'high' });
  await clock.advance(1000);
  high.set(0.5);
  await clock.advance(2000);
  high.set(3);
  await clock.advance(4000);

  expect(metrics.expose()).toBe(
    [
      '# HELP use Use.',
      '# TYPE use histogram',
      'use_bucket{level="high",le="0"} 1e+09',
      'use_bucket{level="high",le="1"} 3e+09',
      'use_bucket{level="high",le="+Inf"} 7e+09',
      'use_sum{level="high"} 1.3e+10',
      'use_count{level="high"} 7e+09',
      '',
    ].join('\n'),
  );
});
