import { expect, test } from 'vitest';
import { MetricRegistry, VirtualClock } from '../../base/index.ts';
import { AdmissionMetrics } from './admission-metrics.ts';

test('reports the times of plugins and steps in seconds, separately for rejections', async () => {
  const clock = new VirtualClock();
  const registry = new MetricRegistry();
  const metrics = new AdmissionMetrics(registry, clock);
  const plugin = metrics.timer('admit', 'CREATE', 'Priority');
  const step = metrics.timer('admit', 'CREATE');
  const start = step.now();
  await clock.advance(250);
  plugin.ended(start, false);
  await clock.advance(500);
  plugin.ended(start, true);
  step.ended(start, true);

  const sums = registry
    .expose()
    .split('\n')
    .filter((line) => /_sum\{/.test(line));
  expect(sums).toEqual([
    'apiserver_admission_controller_admission_duration_seconds_sum{name="Priority",operation="CREATE",rejected="false",type="admit"} 0.25',
    'apiserver_admission_controller_admission_duration_seconds_sum{name="Priority",operation="CREATE",rejected="true",type="admit"} 0.75',
    'apiserver_admission_step_admission_duration_seconds_sum{operation="CREATE",rejected="true",type="admit"} 0.75',
  ]);
});
