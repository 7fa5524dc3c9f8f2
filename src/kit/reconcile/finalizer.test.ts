import { describe, expect, test } from 'vitest';
import {
  ConfigMap,
  hasReason,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../../client/index.ts';
import { controller } from '../index.ts';
import { HeldWatches } from '../testing/held-watches.ts';
import { runApp, type RunningApp } from '../testing/running-app.ts';

/** Loses the answer to the first patch, and then runs a callback before the caller can retry. */
class AnswerLosingTransport implements Transport {
  readonly #inner: Transport;
  interruption: { before(): void; after(): Promise<unknown> } | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { interruption } = this;
    if (request.method !== 'PATCH' || interruption === undefined) return this.#inner.send(request);
    this.interruption = undefined;
    interruption.before();
    await this.#inner.send(request);
    await interruption.after();
    throw new TransportError('cut', 'Lost the answer');
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}

function maps({ client }: RunningApp): ReturnType<RunningApp['client']['core']['v1']['configmaps']['namespace']> {
  return client.core.v1.configmaps.namespace('default');
}

describe('a controller that finalizes', () => {
  test('sees each object with its finalizer, cleans up once, and learns that it is gone', async () => {
    const log: unknown[] = [];
    const part = controller(ConfigMap, {
      name: 'cleaner',
      where: { labelSelector: 'clean' },
      reconcile: (map) => void log.push(['reconcile', map.metadata.finalizers]),
      finalize: (map) => void log.push(['finalize', map.metadata.name]),
      gone: (key) => void log.push(['gone', key]),
    });
    await using running = await runApp([part]);
    await maps(running).create({ metadata: { name: 'm', labels: { clean: '' }, finalizers: ['example.com/other'] } });
    await running.settle();
    await maps(running).delete('m');
    await running.settle();
    expect(log).toEqual([
      ['reconcile', ['example.com/other', 'cleaner/cleaner']],
      ['finalize', 'm'],
    ]);

    const left = await maps(running).get('m');
    expect(left.metadata.finalizers).toEqual(['example.com/other']);
    await maps(running).update({ ...left, metadata: { ...left.metadata, finalizers: [] } });
    await running.settle();
    expect(log.at(-1)).toEqual(['gone', 'default/m']);
    expect(log).toHaveLength(3);
    await expect(maps(running).get('m')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
  });

  test('keeps the object until cleaning up has succeeded', async () => {
    let attempts = 0;
    const part = controller(ConfigMap, {
      where: { labelSelector: 'clean' },
      finalizer: 'example.com/cleanup',
      reconcile: () => undefined,
      finalize: () => {
        if (++attempts < 3) throw new Error('cannot clean up yet');
      },
    });
    await using running = await runApp([part]);
    await maps(running).create({ metadata: { name: 'm', labels: { clean: '' } } });
    await running.settle();
    await maps(running).delete('m');
    await running.settle();
    expect(attempts).toBe(1);
    expect((await maps(running).get('m')).metadata.finalizers).toEqual(['example.com/cleanup']);

    await running.clock.advance('1s');
    expect(attempts).toBe(3);
    await expect(maps(running).get('m')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
  });

  test('finalizes an object that was deleted while its finalizer was being added', async () => {
    const log: string[] = [];
    const part = controller(ConfigMap, {
      where: { labelSelector: 'clean' },
      reconcile: () => void log.push('reconcile'),
      finalize: () => void log.push('finalize'),
    });
    const watches: HeldWatches[] = [];
    const losing: AnswerLosingTransport[] = [];
    const transport = (inner: Transport): Transport => {
      watches[0] = new HeldWatches(inner);
      return (losing[0] = new AnswerLosingTransport(watches[0]));
    };
    await using running = await runApp([part], undefined, { transport });
    losing[0]!.interruption = { before: () => watches[0]!.hold(), after: () => maps(running).delete('m') };
    await maps(running).create({ metadata: { name: 'm', labels: { clean: '' } } });
    await running.settle();
    await running.clock.advance('1s');
    watches[0]!.release();
    await running.settle();

    expect(log).toEqual(['finalize']);
    await expect(maps(running).get('m')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
  });

  test('adds and removes its finalizer although others change the object at the same time', async () => {
    const part = controller(ConfigMap, {
      where: { labelSelector: 'clean' },
      async reconcile(map, { client }) {
        if (map.data?.['by'] === undefined)
          await client.core.v1.configmaps.namespace('default').update({ ...map, data: { by: 'reconcile' } });
      },
      async finalize(map, { client }) {
        await client.core.v1.configmaps.namespace('default').update({ ...map, data: { by: 'finalize' } });
      },
    });
    await using running = await runApp([part]);
    await maps(running).create({ metadata: { name: 'm', labels: { clean: '' } } });
    await running.settle();
    await maps(running).delete('m');
    await running.settle();

    expect((await maps(running).list()).items.map(({ metadata }) => metadata.name)).not.toContain('m');
    expect(running.app.trace().every(({ outcome }) => outcome === 'done')).toBe(true);
  });
});
