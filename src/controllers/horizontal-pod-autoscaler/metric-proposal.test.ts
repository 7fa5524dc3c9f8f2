import { expect, test } from 'vitest';
import type { MetricSpec } from '../../api/types/autoscaling/v2.d.ts';
import { VirtualClock } from '../../base/index.ts';
import { Client, type Observed, type Pod, type Transport } from '../../client/index.ts';
import { MetricApis } from './metric-apis.ts';
import type { MetricContext } from './metric-context.ts';
import { propose } from './metric-proposal.ts';
import { ServedTargets } from './served-targets.ts';

const SERVICES = { resource: 'services', responseKind: { kind: 'Service' }, scope: 'Namespaced', verbs: ['get'] };

/** A server that answers some paths, with a custom metrics adapter in these versions. */
function contextWith(versions: readonly string[], answers: Readonly<Record<string, object>>): MetricContext {
  const groups = [{ name: 'custom.metrics.k8s.io', versions: versions.map((version) => ({ version })) }];
  const known: Readonly<Record<string, object>> = {
    '/api': {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: {}, versions: [{ version: 'v1', resources: [SERVICES] }] }],
    },
    '/apis': { kind: 'APIGroupList', groups },
    ...answers,
  };
  const transport: Transport = {
    send({ path }) {
      const object = known[path] ?? '404 page not found';
      return Promise.resolve({ status: path in known ? 200 : 404, headers: {}, body: { type: 'object', object } });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const client = new Client(transport);
  const clock = new VirtualClock();
  return {
    apis: new MetricApis(client, new ServedTargets(client, clock)),
    namespace: 'here',
    signal: new AbortController().signal,
    pods: ['a', 'b'].map(pod),
    selector: 'app=web',
    specReplicas: 2,
    statusReplicas: 2,
    tolerances: { down: 0.1, up: 0.1 },
    warmup: { cpuInitializationPeriodMs: 0, initialReadinessDelayMs: 0, nowMs: clock.now() },
    clock,
    computed: () => undefined,
  };
}

function pod(name: string): Observed<Pod> {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  return { kind: 'Pod', apiVersion: 'v1', metadata, status: { phase: 'Running', conditions } };
}

const metric = { name: 'requests', selector: { matchLabels: { verb: 'GET' } } };
const pods: MetricSpec = { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '10' } } };

test.each(['v1beta2', 'v1beta1'])('a pods metric is read from %s', async (version) => {
  const path = `/apis/custom.metrics.k8s.io/${version}/namespaces/here/pods/*/requests`;
  const items = ['a', 'b'].map((name) => ({ describedObject: { name }, value: '15500m' }));
  const context = contextWith([version], {
    [`${path}?labelSelector=app%3Dweb&metricLabelSelector=verb%3DGET`]: { items },
  });
  expect(await propose(pods, context)).toEqual({
    replicas: 4,
    metric: 'pods metric requests',
    status: { type: 'Pods', pods: { metric, current: { averageValue: '15500m' } } },
  });
});

test('an object metric is read from the preferred version', async () => {
  const path = '/apis/custom.metrics.k8s.io/v1beta1/namespaces/here/services/web/requests';
  const context = contextWith(['v1beta1', 'v1beta2'], { [path]: { items: [{ value: '50' }] } });
  const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'web' };
  const object = { describedObject, metric: { name: 'requests' } };
  const value = { ...object, target: { type: 'Value', value: '20' } };
  expect(await propose({ type: 'Object', object: value }, context)).toEqual({
    replicas: 5,
    metric: 'Service metric requests',
    status: { type: 'Object', object: { ...object, current: { value: '50' } } },
  });
  const share = { ...object, target: { type: 'AverageValue', averageValue: '16' } };
  expect(await propose({ type: 'Object', object: share }, context)).toEqual({
    replicas: 4,
    metric: 'external metric requests(nil)',
    status: { type: 'Object', object: { ...object, current: { averageValue: '25' } } },
  });
});

test("errors have upstream's messages", async () => {
  const reason = 'FailedGetPodsMetric';
  const prefix = 'unable to get metric requests: unable to fetch metrics from custom metrics API: ';
  await expect(propose(pods, contextWith([], {}))).rejects.toMatchObject({
    reason,
    message: `${prefix}no custom metrics API (custom.metrics.k8s.io) registered`,
  });
  await expect(propose(pods, contextWith(['v9'], {}))).rejects.toMatchObject({
    reason,
    message: `${prefix}no known available metric versions found`,
  });
  await expect(propose(pods, contextWith(['v1beta2'], {}))).rejects.toMatchObject({
    reason,
    message: `${prefix}the server could not find the requested resource (get pods.custom.metrics.k8s.io *)`,
  });
});
