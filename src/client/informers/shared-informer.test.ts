import { describe, expect, test } from 'vitest';
import { expired } from '../../api/client.ts';
import { LineLogger, type Logger, SeededRandom, VirtualClock } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { WatchEvent } from '../resource/options.ts';
import type { Handler } from './handler-registration.ts';
import { byNamespace } from './object-index.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';
import { bookmark, changed, ScriptedSource, thing } from './testing/scripted-source.ts';

interface Setup extends AsyncDisposable {
  readonly source: ScriptedSource;
  readonly clock: VirtualClock;
  readonly informer: SharedInformer<KubernetesObject>;
  /** Sends events on the current watch, and waits until they are handled. */
  send(...events: readonly WatchEvent<KubernetesObject>[]): Promise<void>;
  stop(): Promise<void>;
}

function start(options: Partial<SharedInformerOptions<KubernetesObject>> = {}): Setup {
  const source = new ScriptedSource();
  const clock = new VirtualClock();
  const informer = new SharedInformer<KubernetesObject>(source, {
    clock,
    random: new SeededRandom('informer'),
    ...options,
  });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  return {
    source,
    clock,
    informer,
    stop,
    async send(...events) {
      await clock.advance(0);
      source.watch.send(...events);
      await clock.advance(0);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Records its notifications. */
class Notes implements Handler<KubernetesObject> {
  readonly lines: string[] = [];

  add(object: Observed<KubernetesObject>, { isInInitialList }: { readonly isInInitialList: boolean }): void {
    this.lines.push(`add ${say(object)}${isInInitialList ? ' initially' : ''}`);
  }

  update(object: Observed<KubernetesObject>, old: Observed<KubernetesObject>): void {
    this.lines.push(`update ${say(old)} to ${say(object)}`);
  }

  delete(object: Observed<KubernetesObject>, { isFinalStateUnknown }: { readonly isFinalStateUnknown: boolean }): void {
    this.lines.push(`delete ${say(object)}${isFinalStateUnknown ? ' unseen' : ''}`);
  }
}

function say({ metadata }: Observed<KubernetesObject>): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}

test('the cache and the handlers follow the watch', async () => {
  await using setup = start();
  const notes = new Notes();
  const registration = setup.informer.addHandler(notes);
  await setup.send(changed('ADDED', thing('a', 1)), changed('ADDED', thing('b', 2)));
  expect([setup.informer.hasSynced, registration.hasSynced]).toEqual([false, false]);

  await setup.send(bookmark(3, true), changed('MODIFIED', thing('a', 4)), changed('DELETED', thing('b', 5)));
  await setup.send(changed('ADDED', thing('c', 6)));

  expect([setup.informer.hasSynced, registration.hasSynced]).toEqual([true, true]);
  expect(notes.lines).toEqual(['add a@1 initially', 'add b@2 initially', 'update a@1 to a@4', 'delete b@5', 'add c@6']);
  expect(setup.informer.cache.list().map(say)).toEqual(['a@4', 'c@6']);
  expect(setup.informer.cache.byIndex(byNamespace, 'here').map(say)).toEqual(['a@4', 'c@6']);
});

test('an empty resource has synced too', async () => {
  await using setup = start();
  const registration = setup.informer.addHandler({});
  const synced = Promise.all([setup.informer.synced(), registration.synced()]);
  await setup.send(bookmark(3, true));

  await synced;
  expect(setup.informer.cache.size).toBe(0);
});

test('after a gap only differences are reported, and a recreated object is deleted and added', async () => {
  await using setup = start();
  const notes = new Notes();
  setup.informer.addHandler(notes);
  await setup.send(
    changed('ADDED', thing('same', 1)),
    changed('ADDED', thing('changed', 2)),
    changed('ADDED', thing('gone', 3)),
    changed('ADDED', thing('again', 4)),
    bookmark(5, true),
  );
  notes.lines.length = 0;
  setup.source.watch.fail(expired('too old'));

  await setup.send(
    changed('ADDED', thing('same', 1)),
    changed('ADDED', thing('changed', 8)),
    changed('ADDED', thing('again', 9, { uid: 'other' })),
    changed('ADDED', thing('new', 7)),
    bookmark(10, true),
  );

  expect(notes.lines).toEqual([
    'update changed@2 to changed@8',
    'delete again@4 unseen',
    'add again@9',
    'add new@7',
    'delete gone@3 unseen',
  ]);
});

describe('handlers', () => {
  test('one that is added late receives the existing objects', async () => {
    await using setup = start();
    await setup.send(changed('ADDED', thing('a', 1)), bookmark(3, true), changed('MODIFIED', thing('a', 4)));
    const notes = new Notes();

    const registration = setup.informer.addHandler(notes);
    expect(registration.hasSynced).toBe(false);
    await registration.synced();
    await setup.send(changed('DELETED', thing('a', 5)));

    expect(notes.lines).toEqual(['add a@4 initially', 'delete a@5']);
  });

  test('a slow one does not hold up the others, and misses no object', async () => {
    await using setup = start();
    const notes = new Notes();
    const slow = new Notes();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    setup.informer.addHandler(notes);
    const registration = setup.informer.addHandler(
      {
        add: async (object, context) => {
          if (slow.lines.length === 0) await gate;
          slow.add(object, context);
        },
        update: (object, old) => slow.update(object, old),
        delete: (object, context) => slow.delete(object, context),
      },
      { capacity: 2 },
    );
    await setup.send(changed('ADDED', thing('a', 1)), bookmark(2, true));
    for (let version = 3; version < 100; version++) await setup.send(changed('MODIFIED', thing('a', version)));
    await setup.send(changed('ADDED', thing('b', 100)), changed('DELETED', thing('a', 101)));
    expect(notes.lines).toHaveLength(1 + 97 + 2);
    expect(registration.pending).toBeLessThanOrEqual(4);

    release();
    await registration.idle();

    expect(slow.lines).toEqual(['add a@1 initially', 'update a@1 to a@3', 'delete a@101', 'add b@100']);
  });

  test('one that fails still receives the next change, and the others are not affected', async () => {
    const logged: string[] = [];
    const log: Logger = new LineLogger({
      clock: new VirtualClock(),
      level: 'error',
      write: (line) => void logged.push(line),
    });
    await using setup = start({ log, name: 'things' });
    const notes = new Notes();
    const failing: string[] = [];
    setup.informer.addHandler(
      {
        add(object) {
          failing.push(object.metadata.name);
          throw new Error(`cannot take ${object.metadata.name}`);
        },
      },
      { name: 'picky' },
    );
    setup.informer.addHandler(notes);

    await setup.send(changed('ADDED', thing('a', 1)), changed('ADDED', thing('b', 2)), bookmark(3, true));

    expect(failing).toEqual(['a', 'b']);
    expect(notes.lines).toHaveLength(2);
    expect(logged.join('')).toMatch(/handler failed.*cannot take a/);
    expect(logged.join('')).toContain('picky');
  });

  test('one with a resync period receives every object again at its interval', async () => {
    await using setup = start();
    const often = new Notes();
    const never = new Notes();
    setup.informer.addHandler(often, { resyncPeriod: 60_000 });
    setup.informer.addHandler(never);
    await setup.send(changed('ADDED', thing('a', 1)), bookmark(3, true));

    await setup.clock.advance('2m');

    expect(often.lines).toEqual(['add a@1 initially', 'update a@1 to a@1', 'update a@1 to a@1']);
    expect(never.lines).toEqual(['add a@1 initially']);
  });

  test('one that is removed receives nothing more', async () => {
    await using setup = start();
    const notes = new Notes();
    const registration = setup.informer.addHandler(notes, { resyncPeriod: 1000 });
    await setup.send(changed('ADDED', thing('a', 1)), bookmark(3, true));

    registration[Symbol.dispose]();
    await setup.send(changed('ADDED', thing('b', 4)));
    await setup.clock.advance('5s');

    expect(notes.lines).toEqual(['add a@1 initially']);
  });
});

test('managedFields are dropped from unshared objects only', async () => {
  await using setup = start();
  const managed = (name: string): Observed<KubernetesObject> => {
    const object = thing(name, 1);
    return { ...object, metadata: { ...object.metadata, managedFields: [{ manager: 'm' }] } };
  };
  const shared = Object.freeze(managed('shared'));
  await setup.send(changed('ADDED', managed('own')), changed('ADDED', shared), bookmark(3, true));

  expect(setup.informer.cache.get('here/own')?.metadata.managedFields).toBeUndefined();
  expect(setup.informer.cache.get('here/shared')).toBe(shared);
});

test('stopping waits for running handlers, and leaves nothing behind', async () => {
  const setup = start();
  let finish = (): void => undefined;
  let isFinished = false;
  setup.informer.addHandler(
    {
      async add() {
        await new Promise<void>((resolve) => (finish = resolve));
        isFinished = true;
      },
    },
    { resyncPeriod: 1000 },
  );
  await setup.send(changed('ADDED', thing('a', 1)), changed('ADDED', thing('b', 2)), bookmark(3, true));
  const stopping = setup.stop();
  await setup.clock.advance(0);
  expect(isFinished).toBe(false);

  finish();

  await stopping;
  expect(isFinished).toBe(true);
  expect(setup.clock.pending).toBe(0);
  await expect(setup.informer.run(new AbortController().signal)).rejects.toThrow('Cannot run an informer twice');
});
