import { describe, expect, test } from 'vitest';
import { expired, internalError, StatusError, tooManyRequests } from '../../api/client.ts';
import { LineLogger, SeededRandom, VirtualClock } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import { TransportError } from '../../wire/http/index.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorOptions, ReflectorSink } from './reflector-options.ts';
import { bookmark, changed, listOf, ScriptedSource, thing } from './testing/scripted-source.ts';

/** Records the calls of a reflector. */
class Notes implements ReflectorSink<KubernetesObject> {
  readonly lines: string[] = [];

  replace(objects: readonly Observed<KubernetesObject>[], resourceVersion: string): void {
    this.lines.push(`replace ${objects.map(describeThing).join(',')} at ${resourceVersion}`);
  }

  add(object: Observed<KubernetesObject>): void {
    this.lines.push(`add ${describeThing(object)}`);
  }

  update(object: Observed<KubernetesObject>): void {
    this.lines.push(`update ${describeThing(object)}`);
  }

  delete(object: Observed<KubernetesObject>): void {
    this.lines.push(`delete ${describeThing(object)}`);
  }
}

function describeThing({ metadata }: Observed<KubernetesObject>): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}

interface Setup extends AsyncDisposable {
  readonly source: ScriptedSource;
  readonly notes: Notes;
  readonly clock: VirtualClock;
  readonly reflector: Reflector<KubernetesObject>;
}

/** A running reflector; disposing stops it and checks that nothing is left behind. */
function start(
  prepare: (source: ScriptedSource) => void = () => undefined,
  options: Partial<ReflectorOptions> = {},
): Setup {
  const source = new ScriptedSource();
  prepare(source);
  const notes = new Notes();
  const clock = new VirtualClock();
  const reflector = new Reflector(source, notes, { clock, random: new SeededRandom('reflector'), ...options });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  return {
    source,
    notes,
    clock,
    reflector,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      expect(reflector.health.state).toBe('stopped');
      expect(clock.pending).toBe(0);
    },
  };
}

const unsupported = new StatusError({ code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' });

/** A server without streaming lists. */
function listsOnly(source: ScriptedSource): void {
  source.onWatch = (options) => (options.sendInitialEvents === true ? unsupported : undefined);
  source.onList = () => listOf(5, thing('a', 3), thing('b', 5));
}

describe('fetching the state', () => {
  test('by watch: the state is complete at the bookmark that says so, and changes follow on the same stream', async () => {
    await using setup = start();
    const { source, notes, clock } = setup;
    await clock.advance(0);
    expect(source.watch.options).toMatchObject({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    expect(source.watch.options.resourceVersion).toBeUndefined();

    source.watch.send(changed('ADDED', thing('a', 3)), changed('ADDED', thing('b', 2)));
    source.watch.send(changed('MODIFIED', thing('a', 6)), changed('DELETED', thing('b', 7)), bookmark(7));
    await clock.advance(0);
    expect(notes.lines).toEqual([]);
    source.watch.send(bookmark(8, true), changed('ADDED', thing('c', 9)));
    await clock.advance(0);

    expect(notes.lines).toEqual(['replace a@6 at 8', 'add c@9']);
    expect(source.watches).toHaveLength(1);
    expect(source.lists).toEqual([]);
    expect(setup.reflector.health).toMatchObject({ state: 'watching', resourceVersion: '9', failures: 0 });
  });

  test('by list, from a server without streaming lists, which is tried once only', async () => {
    await using setup = start(listsOnly);
    const { source, notes, clock } = setup;
    await clock.advance(0);

    source.watch.send(changed('ADDED', thing('c', 6)));
    await clock.advance(0);

    expect(notes.lines).toEqual(['replace a@3,b@5 at 5', 'add c@6']);
    expect(source.watches.map(({ options }) => options.resourceVersion)).toEqual([undefined, '5']);
    expect(source.watch.options).not.toHaveProperty('sendInitialEvents');
  });

  test('by list, from a server that ignores sendInitialEvents', async () => {
    await using setup = start((source) => (source.onList = () => listOf(4, thing('a', 4))));
    const { source, notes, clock } = setup;
    await clock.advance(0);
    source.watch.send(changed('ADDED', thing('a', 4)));

    await clock.advance('10s');

    expect(notes.lines).toEqual(['replace a@4 at 4']);
    expect(source.watch.options.resourceVersion).toBe('4');
  });

  test('a stream that ends before the state is complete leaves nothing behind', async () => {
    await using setup = start();
    const { source, notes, clock } = setup;
    await clock.advance(0);
    source.watch.send(changed('ADDED', thing('a', 3)));
    source.watch.end();
    await clock.advance('2s');
    source.watch.send(bookmark(9, true));
    await clock.advance(0);

    expect(notes.lines).toEqual(['replace  at 9']);
    expect(source.watches).toHaveLength(2);
  });
});

describe('following changes', () => {
  async function watching(options: Partial<ReflectorOptions> = {}): Promise<Setup> {
    const setup = start(undefined, options);
    await setup.clock.advance(0);
    setup.source.watch.send(changed('ADDED', thing('a', 3)), bookmark(5, true));
    await setup.clock.advance(0);
    expect(setup.notes.lines.splice(0)).toEqual(['replace a@3 at 5']);
    return setup;
  }

  test('a watch that ends is resumed at once from its last event', async () => {
    await using setup = await watching();
    const { source, notes, clock } = setup;
    source.watch.send(changed('MODIFIED', thing('a', 6)));
    source.watch.end();
    await clock.advance(0);
    expect(source.watch.options.resourceVersion).toBe('6');

    source.watch.send(changed('DELETED', thing('a', 8)));
    await clock.advance(0);

    expect(notes.lines).toEqual(['update a@6', 'delete a@8']);
  });

  test('a watch is resumed from the last bookmark', async () => {
    await using setup = await watching();
    const { source, clock } = setup;
    source.watch.send(bookmark(50));
    source.watch.end();
    await clock.advance(0);

    expect(source.watch.options.resourceVersion).toBe('50');
  });

  test('repeated events are not passed on', async () => {
    await using setup = await watching();
    const { source, notes, clock } = setup;
    const update = changed('MODIFIED', thing('a', 6));

    source.watch.send(
      update,
      update,
      changed('DELETED', thing('a', 7)),
      changed('DELETED', thing('a', 7)),
      update,
      bookmark(6),
    );
    await clock.advance(0);

    expect(notes.lines).toEqual(['update a@6', 'delete a@7']);
    expect(setup.reflector.health.resourceVersion).toBe('7');
  });

  test('the server is asked to end watches after five to ten minutes', async () => {
    await using setup = await watching();
    const { source, clock } = setup;
    for (let count = 0; count < 20; count++) {
      source.watch.send(bookmark(100 + count));
      source.watch.end();
      await clock.advance(0);
    }

    const seconds = source.watches.map(({ options }) => options.timeoutSeconds ?? 0);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(new Set(seconds).size).toBeGreaterThan(10);
  });

  test('after 410 the reflector lists again at once', async () => {
    await using setup = await watching();
    const { source, notes, clock } = setup;
    source.watch.fail(expired('too old resource version'));
    await clock.advance(0);
    expect(source.watch.options.sendInitialEvents).toBe(true);

    source.watch.send(changed('ADDED', thing('b', 90)), bookmark(95, true));
    await clock.advance(0);

    expect(notes.lines).toEqual(['replace b@90 at 95']);
  });

  test('health keeps the resource version of the sink during another list', async () => {
    await using setup = await watching();
    const { source, clock, reflector } = setup;
    source.watch.send(bookmark(50));
    await clock.advance(0);
    source.onWatch = () => internalError('not now');
    source.watch.fail(expired('too old resource version'));
    await clock.advance(0);

    expect(reflector.health).toMatchObject({ resourceVersion: '50', state: 'waiting' });
  });

  test('repeated 410s back off', async () => {
    await using setup = await watching();
    const { source, clock } = setup;
    source.onWatch = () => expired('too old');
    source.watch.fail(expired('too old'));

    await clock.advance('10s');

    expect(source.watches.length).toBeGreaterThan(2);
    expect(source.watches.length).toBeLessThan(10);
  });

  test('a server that is older than the position leads to another list', async () => {
    await using setup = await watching();
    const { source, notes, clock } = setup;
    const before = source.watches.length;
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    source.watch.fail(
      new StatusError({
        code: 504,
        reason: 'Timeout',
        message: 'Timeout: Too large resource version',
        details: { causes },
      }),
    );
    await clock.advance(0);
    expect(source.watches).toHaveLength(before + 1);
    expect(source.watch.options).toMatchObject({ sendInitialEvents: true });
    expect(source.watch.options.resourceVersion).toBeUndefined();

    source.watch.send(changed('ADDED', thing('a', 2)), bookmark(3, true));
    await clock.advance(0);
    expect(notes.lines).toEqual(['replace a@2 at 3']);
  });

  test.each([
    ['a broken connection', new TransportError('cut', 'cut')],
    ['an internal error', internalError('oops')],
    ['a server that is busy', tooManyRequests('busy', 1)],
    ['a right that is missing', new StatusError({ code: 403, reason: 'Forbidden', message: 'no' })],
  ])('%s is tried again from the same place, later and later', async (_what, error) => {
    await using setup = await watching();
    const { source, clock } = setup;
    source.onWatch = () => error;
    source.watch.fail(error);
    const opened: number[] = [];
    for (let count = source.watches.length; opened.length < 4; await clock.advance(10)) {
      if (source.watches.length > count) opened.push(clock.monotonic());
      count = source.watches.length;
    }

    const waits = opened.map((at, index) => at - (opened[index - 1] ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(800);
    expect(waits[1]).toBeGreaterThanOrEqual(1600);
    expect(waits[2]).toBeGreaterThanOrEqual(3200);
    expect(waits[3]).toBeLessThan(15_000);
    expect(source.watches.slice(1, 4).map(({ options }) => options.resourceVersion)).toEqual(['5', '5', '5']);
    expect(setup.reflector.health).toMatchObject({ state: 'waiting', lastError: error });
  });

  test.each([
    ['forbidden', new StatusError({ code: 401, reason: 'Unauthorized', message: 'who?' })],
    ['forbidden', new StatusError({ code: 403, reason: 'Forbidden', message: 'no' })],
    ['unserved', new StatusError({ code: 404, reason: 'NotFound', message: 'the server could not find it' })],
    ['passing', new StatusError({ code: 408, reason: 'Timeout', message: 'later' })],
    ['passing', tooManyRequests('busy', 1)],
    ['passing', internalError('oops')],
    ['lost', expired('too old')],
  ])('a failure is logged as %s: %s', async (meaning, error) => {
    const lines: string[] = [];
    const log = new LineLogger({ clock: new VirtualClock(), write: (line) => void lines.push(line) });
    await using setup = await watching({ log });
    setup.source.watch.fail(error);
    await setup.clock.advance(0);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`"watch failed" .*meaning="${meaning}" failures=1`))]);
  });

  test('after five failures in a row the reflector lists again', async () => {
    await using setup = await watching();
    const { source, clock } = setup;
    source.onWatch = (options) => (options.resourceVersion === undefined ? undefined : internalError('oops'));
    source.watch.fail(internalError('oops'));

    await clock.advance('2m');

    expect(source.watches.filter(({ options }) => options.resourceVersion === '5')).toHaveLength(4);
    expect(source.watches[5]?.options.sendInitialEvents).toBe(true);
  });

  test('Retry-After of a busy server is respected', async () => {
    await using setup = await watching();
    const { source, clock } = setup;
    source.watch.fail(tooManyRequests('busy', 20));

    await clock.advance('19s');
    expect(source.watches).toHaveLength(1);
    await clock.advance('1s');

    expect(source.watches).toHaveLength(2);
  });

  test('a watch that ends right after it begins counts as a failure', async () => {
    await using setup = await watching();
    const { source, clock } = setup;
    source.watch.end();
    for (let turn = 0; turn < 100; turn++) {
      await clock.advance(0);
      source.watch.end();
    }

    expect(source.watches.length).toBeLessThan(4);
  });

  test('a watch that no longer delivers even bookmarks is resumed', async () => {
    await using setup = await watching();
    const { source, notes, clock } = setup;
    await clock.advance('60s');
    source.watch.send(bookmark(20));
    await clock.advance('129s');
    expect(source.watches).toHaveLength(1);

    await clock.advance('1s');
    expect(source.watches).toHaveLength(2);
    expect(source.watch.options.resourceVersion).toBe('20');
    source.watch.send(changed('ADDED', thing('b', 30)));
    await clock.advance(0);

    expect(notes.lines).toEqual(['add b@30']);
  });

  test('without bookmarks, silence is normal until the server should have ended the watch', async () => {
    await using setup = start(listsOnly);
    const { source, clock } = setup;
    await clock.advance(0);
    const { timeoutSeconds = 0 } = source.watch.options;
    const before = source.watches.length;

    await clock.advance((timeoutSeconds + 29) * 1000);
    expect(source.watches).toHaveLength(before);
    await clock.advance('1s');

    expect(source.watches).toHaveLength(before + 1);
  });
});
