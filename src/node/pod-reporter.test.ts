import { expect, test } from 'vitest';
import { type Logger, VirtualClock } from '../base/index.ts';
import { keyOf, type Observed, type Pod } from '../client/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';
import { EchoFilter } from '../kit/index.ts';
import { PodEvents } from './pod-events.ts';
import { PodRecord } from './pod-record.ts';
import { PodReporter } from './pod-reporter.ts';
import { apiPodWriter } from './pod-writer.ts';

test('the status of a pod whose name another pod has by now is dropped, which is no error', async () => {
  await using cluster = await TestCluster.start();
  const pods = cluster.client().core.v1.pods.namespace('default');
  const make = (): Promise<Observed<Pod>> =>
    pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
  const first = await make();
  await pods.delete('web', { gracePeriodSeconds: 0 });
  const second = await make();
  const logged: string[] = [];
  const note = (level: string) => (message: string) => void logged.push(`${level} ${message}`);
  const levels = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const log: Logger = { ...levels, with: () => log, isEnabled: () => true };
  const record = new PodRecord(first);
  const about = { record, events: new PodEvents({ event: () => undefined }) };
  const reporter = new PodReporter(keyOf(first), about, {
    clock: new VirtualClock(),
    log,
    echoes: new EchoFilter(),
    writer: apiPodWriter({
      patchStatus: (_, patch) => pods.status.patch('web', patch),
      delete: async () => true,
    }),
  });
  expect(await reporter.report(first, { phase: 'Running' })).toBeUndefined();
  expect(logged).toEqual(['debug pod was gone before its status was written']);
  expect((await pods.get('web')).metadata.uid).toBe(second.metadata.uid);
});
