import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { builtInTypes } from '../api/index.ts';
import { TestApi } from './testing/test-api.ts';

interface StoredAt {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly key: string;
  readonly storedVersion: string;
}

interface Pair {
  readonly input: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } };
}

const folder = new URL('testdata/', import.meta.url);

function recorded<T>(file: string): T[] {
  return load(readFileSync(new URL(file, folder), 'utf8')) as T[];
}

test('every resource of the type table is served, with its verbs and subresources', async () => {
  await using api = await TestApi.open();
  const table = builtInTypes().resources();
  const named = ({ group, version, plural }: { group: string; version: string; plural: string }): string =>
    `${group}/${version}/${plural}`;
  expect(api.resources.map(named).toSorted()).toEqual(table.map(named).toSorted());
  for (const info of table) {
    const resource = api.resources.find((candidate) => named(candidate) === named(info));
    expect(resource?.verbs, named(info)).toEqual(info.verbs);
    expect([...(resource?.subresources.keys() ?? [])].toSorted(), named(info)).toEqual(
      info.subresources.map(({ name }) => name).toSorted(),
    );
  }
});

/** Upstream still stores it as v1beta1, which it no longer serves; it reads v1 as well. */
const STORED_NEWER = new Set(['CustomResourceDefinition']);

test("objects are stored under upstream's keys, in upstream's version", async () => {
  await using api = await TestApi.open();
  const inputs = readdirSync(folder)
    .filter((name) => name.startsWith('created-'))
    .flatMap((file) => recorded<Pair>(file));
  const places = recorded<StoredAt>('stored-at.yaml');
  expect(places.length).toBeGreaterThan(70);
  for (const { apiVersion, kind, name, key, storedVersion } of places) {
    const found = inputs.find(({ input }) => input.kind === kind && input.apiVersion === apiVersion);
    if (found === undefined) throw new Error(`No example of ${kind}`);
    const input = { ...found.input, metadata: { ...found.input.metadata, name } };
    const { code } = await api.create(input);
    expect([201, 409], `${kind} ${name}`).toContain(code);
    const { entries } = await api.store.range({ from: key, to: `${key}\0` });
    const value = JSON.parse(Buffer.from(entries[0]?.value ?? '{}').toString());
    const expected = STORED_NEWER.has(kind) ? apiVersion : storedVersion;
    expect({ key, apiVersion: value.apiVersion }).toEqual({ key, apiVersion: expected });
  }
});

test('one object can be read in all versions of its kind', async () => {
  await using api = await TestApi.open();
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/test',
    reportingInstance: 'me',
    action: 'Test',
    reason: 'Tested',
    regarding: { namespace: 'kinds', name: 'x' },
    note: 'a note',
    type: 'Normal',
  };
  await api.create(event);
  const core = await api.send('GET', '/api/v1/namespaces/kinds/events/e');
  expect(core.body).toMatchObject({
    apiVersion: 'v1',
    message: 'a note',
    involvedObject: { namespace: 'kinds', name: 'x' },
    reportingComponent: 'example.com/test',
  });

  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
      ],
    },
  };
  await api.create(autoscaler);
  const path = '/namespaces/kinds/horizontalpodautoscalers/h';
  const first = await api.send('GET', `/apis/autoscaling/v1${path}`);
  expect(first.body['spec']).toMatchObject({ targetCPUUtilizationPercentage: 50 });
  expect(JSON.parse(first.body.metadata.annotations?.['autoscaling.alpha.kubernetes.io/metrics'] ?? '')).toEqual([
    { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
  ]);
  const changed = { ...first.body, spec: { ...(first.body['spec'] as object), maxReplicas: 4 } };
  await api.send('PUT', `/apis/autoscaling/v1${path}`, changed);
  const second = await api.send('GET', `/apis/autoscaling/v2${path}`);
  expect(second.body['spec']).toMatchObject({ maxReplicas: 4, metrics: autoscaler.spec.metrics.toReversed() });
  expect(second.body.metadata.annotations).toBeUndefined();
});
