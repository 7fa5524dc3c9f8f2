import { expect, test } from 'vitest';
import { builtInControllers } from '../../../controllers/index.ts';
import { Flags } from '../../../cli/flags.ts';
import { controllerFlags, controllerSettings } from './controller-flags.ts';

function settingsOf(...args: readonly string[]): ReturnType<typeof controllerSettings> {
  return controllerSettings(new Flags(args, controllerFlags));
}

test('controllers go by what is said, and by their own values otherwise', () => {
  expect(settingsOf()).toEqual({});
  expect(
    settingsOf('--node-monitor-grace-period=20s', '--node-eviction-rate=0.5', '--terminated-pod-gc-threshold=7'),
  ).toEqual({ nodeMonitorGracePeriod: 20_000, evictionRate: 0.5, terminatedPodThreshold: 7 });
  expect(
    settingsOf('--horizontal-pod-autoscaler-tolerance=0.2', '--horizontal-pod-autoscaler-downscale-stabilization=0s'),
  ).toEqual({ autoscalerTolerance: 0.2, downscaleStabilization: 0 });
});

test('what a controller does at once goes by its flag', () => {
  expect(settingsOf('--concurrent-job-syncs=9', '--concurrent-gc-syncs=1')).toEqual({
    concurrency: { 'job-controller': 9, 'garbage-collector-controller': 1 },
  });
  expect(() => settingsOf('--concurrent-job-syncs=0')).toThrow('must be a whole number from 1 to 1000');
  const settings = settingsOf('--concurrent-job-syncs=9', '--concurrent-service-syncs=3');
  const limited = builtInControllers({ rootCertificate: '', settings }).filter(
    ({ concurrency }) => concurrency !== undefined,
  );
  expect(limited.map(({ name, concurrency }) => [name, concurrency])).toEqual([
    ['job', 9],
    ['service-lb-controller', 3],
  ]);
});

test('what makes no sense is refused', () => {
  expect(() => settingsOf('--node-monitor-period=0s')).toThrow('--node-monitor-period must be a duration');
  expect(() => settingsOf('--unhealthy-zone-threshold=2')).toThrow('must be a number from 0 to 1, got "2"');
});
