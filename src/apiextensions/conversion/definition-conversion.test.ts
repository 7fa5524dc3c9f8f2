import { describe, expect, onTestFinished, test } from 'vitest';
import { type ApiObject, builtInTypes } from '../../api/index.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions/v1.d.ts';
import { type Convert, WebhookClient } from '../../apiserver/index.ts';
import { caBundle, HookServer } from '../../apiserver/webhook/testing/hook-server.ts';
import { CryptoRandom, deepFreeze, MetricRegistry, RandomUidSource, VirtualClock } from '../../base/index.ts';
import { ConversionMetrics, definitionConversion } from './index.ts';

const types = builtInTypes();
const { signal } = new AbortController();

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly ApiObject[];
  };
}

/** Starts a webhook that answers with the result of `change` for each object, and records the reviews. */
async function start(change: (object: ApiObject, index: number) => unknown) {
  const reviews: Review[] = [];
  const bodies: string[] = [];
  const server = await HookServer.start((body, response) => {
    const review = JSON.parse(body) as Review;
    reviews.push(review);
    bodies.push(body);
    const { uid, desiredAPIVersion, objects } = review.request;
    const convertedObjects = objects.map((object, index) =>
      change({ ...object, apiVersion: desiredAPIVersion }, index),
    );
    const answer = { uid, convertedObjects, result: { status: 'Success' } };
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'ConversionReview', response: answer }));
  });
  const registry = new MetricRegistry();
  const webhooks = new WebhookClient({
    clock: new VirtualClock({ startMs: Date.UTC(2026, 0) }),
    uids: new RandomUidSource(new CryptoRandom()),
    types,
    services: { resolve: () => Promise.reject(new Error('no services')) },
  });
  onTestFinished(async () => {
    webhooks[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: server.url, caBundle } };
  const definition = definitionWith({ strategy: 'Webhook', webhook });
  const convert = definitionConversion(definition, webhooks, { metrics: new ConversionMetrics(registry) });
  return { convert, reviews, bodies, registry };
}

function definitionWith(
  conversion: NonNullable<CustomResourceDefinition['spec']['conversion']>,
): CustomResourceDefinition {
  const versions = ['v1', 'v2', 'v3'].map((name) => ({ name, served: true, storage: name === 'v1' }));
  const names = { plural: 'crontabs', kind: 'CronTab' };
  const metadata = { name: 'crontabs.example.com' };
  return { metadata, spec: { group: 'example.com', scope: 'Namespaced', names, versions, conversion } };
}

function cronTab(name: string, version: string, more: Record<string, unknown> = {}): ApiObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7' };
  const object = { apiVersion: `example.com/${version}`, kind: 'CronTab', metadata, ...more };
  deepFreeze(object);
  return object;
}

const toV2 = async (convert: Convert, ...objects: readonly ApiObject[]): Promise<readonly ApiObject[]> =>
  convert(objects, 'example.com/v2', signal);

describe('conversion by webhook', () => {
  test('all objects of a call are sent in one review, except those in the version already', async () => {
    const { convert, reviews } = await start((object) => ({ ...object, spec: { converted: true } }));
    const there = cronTab('c', 'v2');

    const converted = await toV2(convert, cronTab('a', 'v1'), cronTab('b', 'v3'), there, cronTab('d', 'v1'));

    expect(reviews.map(({ request }) => request.objects.map(({ metadata }) => metadata.name))).toEqual([
      ['a', 'b', 'd'],
    ]);
    expect(reviews[0]?.request.objects[0]?.metadata.resourceVersion).toBeUndefined();
    expect(converted.map(({ metadata }) => metadata)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => cronTab(name, 'v2').metadata),
    );
    expect(converted[2]).toBe(there);
    expect(converted[3]).toMatchObject({ apiVersion: 'example.com/v2', spec: { converted: true } });
  });

  test('no webhook is called when there is nothing to convert', async () => {
    const { convert, reviews } = await start((object) => object);
    const objects = [cronTab('a', 'v2')];
    expect(convert(objects, 'example.com/v2', signal)).toBe(objects);
    expect(reviews).toEqual([]);
  });

  test('large objects are sent in several reviews, and integers beyond 2^53 keep all digits', async () => {
    const { convert, reviews, bodies } = await start((object) => object);
    const text = 'x'.repeat(3 * 1024 * 1024);
    const objects = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      cronTab(name, 'v1', { text, count: 9_007_199_254_740_993n }),
    );
    const converted = await toV2(convert, ...objects);
    expect(converted.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([2, 2, 1]);
    expect(bodies.every((body) => body.includes('"count":9007199254740993,'))).toBe(true);
  });

  test('a problem with one of several objects is reported as if it had been alone', async () => {
    const { convert } = await start((object, index) =>
      index === 1 ? { ...object, metadata: { ...object.metadata, name: 'x' } } : object,
    );
    await expect(toV2(convert, cronTab('a', 'v1'), cronTab('b', 'v3'))).rejects.toThrow(
      'conversion webhook for example.com/v3, Kind=CronTab returned invalid object: must have the same name: b != x',
    );
  });

  test('is counted and timed under upstream’s names', async () => {
    const { convert, registry } = await start((object) => (object.metadata.name === 'bad' ? {} : object));
    await toV2(convert, cronTab('a', 'v1'));
    await toV2(convert, cronTab('bad', 'v1')).catch(() => undefined);
    const text = registry.expose();
    for (const line of [
      'apiserver_conversion_webhook_request_total{failure_type="",result="success"} 1',
      'apiserver_conversion_webhook_request_total{failure_type="conversion_webhook_invalid_converted_object_failure",result="failure"} 1',
      'apiserver_conversion_webhook_duration_seconds_count{failure_type="",result="success"} 1',
      'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="crontabs.example.com",from_version="v1",succeeded="false",to_version="v2"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });
});

describe('conversion without a webhook', () => {
  const convert = definitionConversion(definitionWith({ strategy: 'None' }), undefined as unknown as WebhookClient);

  test('changes apiVersion and nothing else, at once', () => {
    const object = cronTab('a', 'v1', { spec: { x: 1 } });
    expect(convert([object], 'example.com/v2', signal)).toEqual([{ ...object, apiVersion: 'example.com/v2' }]);
  });

  test('refuses versions that the definition does not have', () => {
    expect(() => convert([cronTab('a', 'v0')], 'example.com/v2', signal)).toThrow(
      'request to convert CR from an invalid group/version: example.com/v0',
    );
    expect(() => convert([cronTab('a', 'v1')], 'example.com/v9', signal)).toThrow(
      'request to convert CR to an invalid group/version: example.com/v9',
    );
  });
});
