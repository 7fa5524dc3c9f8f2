import { expect, test } from 'vitest';
import { MetricRegistry, VirtualClock } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import { inProcessCall, type InProcessCall } from '../transport/index.ts';
import { ConcurrencyLimiter } from './limit-concurrency.ts';
import { type Next, pipeline } from './stage.ts';

const clock = new VirtualClock();
const OK: EncodedAnswer = { code: 200, headers: {}, body: new Uint8Array() };

function call(path: string): InProcessCall {
  return inProcessCall({ method: 'GET', path, clock });
}

test('a request counts against the limit until its handler is done and its answer is sent', async () => {
  const limiter = new ConcurrencyLimiter({ maxReads: 1, maxWrites: 1 }, clock);
  let go!: () => void;
  const gone = new Promise<void>((resolve) => (go = resolve));
  const handle = pipeline([limiter.stage], async ({ request: { path } }) => {
    if (path === '/slow') await gone;
    return OK;
  });
  const first = call('/api/v1/pods');
  await handle(first);
  expect(limiter.inFlight.reads).toBe(1); // its client is still reading
  await expect(handle(call('/api/v1/nodes'))).rejects.toMatchObject({ code: 429 });
  first.finish({ code: 200, bytes: 5, outcome: 'complete' });
  expect(limiter.inFlight.reads).toBe(0);

  const second = call('/slow');
  const handling = handle(second);
  second.finish({ code: 0, bytes: 0, outcome: 'cut' }); // its client left, and the handler has not noticed
  expect(limiter.inFlight.reads).toBe(1);
  go();
  await handling;
  expect(limiter.inFlight.reads).toBe(0);
});

test('a watch is counted as open until it ends, and only then counted and timed, as upstream does', async () => {
  const registry = new MetricRegistry();
  const metrics = new RequestMetrics(registry, {
    clock,
    inFlight: () => ({ reads: 0, writes: 0 }),
    waiting: () => ({ reads: 0, writes: 0 }),
    resourceOf: () => ({ group: '', version: 'v1', plural: 'pods', subresources: new Map() }) as never,
  });
  const next: Next = async () => OK;
  const watch = call('/api/v1/pods?watch=1');
  await metrics.stage(watch, next);
  const rest = 'group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"';
  const target = `component="apiserver",${rest}`;

  expect(registry.expose()).toContain(`apiserver_longrunning_requests{${target}} 1`);
  expect(registry.expose()).not.toContain('apiserver_request_total{');
  await clock.advance('7s');
  watch.finish({ code: 200, bytes: 10, outcome: 'cut' });

  expect(registry.expose()).toContain(`apiserver_longrunning_requests{${target}} 0`);
  expect(registry.expose()).toContain(`apiserver_request_total{code="200",component="apiserver",dry_run="",${rest}} 1`);
  expect(registry.expose()).toContain(
    `apiserver_request_duration_seconds_sum{component="apiserver",dry_run="",${rest}} 7`,
  );
});
