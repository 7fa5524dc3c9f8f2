import { describe, expect, test } from 'vitest';
import { type ConfigMap, Indexer, type Observed } from '../../client/index.ts';
import { WriteOverlay } from './write-overlay.ts';

/** A cache whose state a test sets. */
class Below {
  readonly cache = new Indexer<ConfigMap>();
  health = { resourceVersion: '100', fetches: 1 };

  /** The watch delivers these objects and reaches this version. */
  tell(resourceVersion: number, ...objects: Observed<ConfigMap>[]): void {
    for (const object of objects) this.cache.set(object);
    this.health = { ...this.health, resourceVersion: String(resourceVersion) };
  }

  /** The informer lists all objects. */
  fetch(resourceVersion: number, ...objects: Observed<ConfigMap>[]): void {
    for (const key of this.cache.keys()) this.cache.delete(key);
    this.tell(resourceVersion, ...objects);
    this.health = { ...this.health, fetches: this.health.fetches + 1 };
  }
}

function map(resourceVersion: number, uid = 'u'): Observed<ConfigMap> {
  const metadata = { name: 'm', uid, resourceVersion: String(resourceVersion), creationTimestamp: '' };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata };
}

function setUp(options: { readonly capacity?: number } = {}): {
  below: Below;
  overlay: WriteOverlay<ConfigMap>;
  vanished: string[];
  read(key?: string): string | undefined;
} {
  const below = new Below();
  const vanished: string[] = [];
  const onVanished = (object: Observed<ConfigMap>): void => void vanished.push(object.metadata.uid);
  const overlay = new WriteOverlay<ConfigMap>(below, { ...options, onVanished });
  const read = (key = 'm'): string | undefined => {
    const found = overlay.resolve(key, below.cache.get(key));
    return found === undefined ? undefined : `${found.metadata.uid}@${found.metadata.resourceVersion}`;
  };
  return { below, overlay, vanished, read };
}

describe('the overlay of own writes', () => {
  test('keeps a write until the watch has passed it', () => {
    const { below, overlay, read } = setUp();
    overlay.put('m', map(105));
    expect(read()).toBe('u@105');
    below.tell(103, map(103));
    expect(read()).toBe('u@105');
    below.tell(107, map(107));
    expect(read()).toBe('u@107');
    expect(overlay.isEmpty).toBe(true);
  });

  test('compares versions as numbers', () => {
    const { below, overlay, read } = setUp();
    below.tell(998, map(998));
    overlay.put('m', map(1001));
    below.tell(999, map(999));
    expect(read()).toBe('u@1001');
  });

  test('ignores an answer that is older than what it has', () => {
    const { below, overlay, read } = setUp();
    overlay.put('m', map(90));
    expect(overlay.isEmpty).toBe(true);
    overlay.put('m', map(106));
    overlay.put('m', map(105));
    expect(read()).toBe('u@106');
    overlay.remove('m', { uid: 'u', resourceVersion: '106', isCertain: true });
    overlay.put('m', map(107));
    expect(read()).toBeUndefined();
    below.tell(110);
    expect(read()).toBeUndefined();
    expect(overlay.isEmpty).toBe(true);
  });

  test('hides a deleted object until the cache has lost it, whatever the watch delivers before', () => {
    const { below, overlay, read } = setUp();
    below.tell(101, map(101));
    overlay.remove('m', { uid: 'u', resourceVersion: '101', isCertain: true });
    below.tell(103, map(103));
    expect(read()).toBeUndefined();
    below.cache.delete('m');
    below.tell(104);
    expect(read()).toBeUndefined();
    expect(overlay.isEmpty).toBe(true);
  });

  test('shows an object that only appeared to be gone as soon as the watch delivers it again', () => {
    const { below, overlay, read } = setUp();
    below.tell(101, map(101));
    overlay.remove('m', { uid: 'u', resourceVersion: '102', isCertain: false });
    expect(read()).toBeUndefined();
    below.tell(103, map(103));
    expect(read()).toBe('u@103');
  });

  test('shows another object under the name of a deleted one', () => {
    const { below, overlay, read } = setUp();
    below.tell(101, map(101));
    overlay.remove('m', { uid: 'u', resourceVersion: '101', isCertain: true });
    below.tell(105, map(105, 'v'));
    expect(read()).toBe('v@105');
  });

  test('reports an object that was created and deleted while the watch was interrupted', () => {
    const { below, overlay, vanished, read } = setUp();
    overlay.put('m', map(105));
    below.fetch(110);
    overlay.sweep();
    expect(vanished).toEqual(['u']);
    expect(read()).toBeUndefined();

    overlay.put('m', map(115));
    below.tell(115, map(115));
    overlay.sweep();
    expect(vanished).toEqual(['u']);
  });

  test("adopts the server's state when the server was restored to an earlier one", () => {
    const { below, overlay, read } = setUp();
    overlay.put('m', map(105));
    below.fetch(50, map(50));
    expect(read()).toBe('u@105');
    below.fetch(51, map(50));
    expect(read()).toBe('u@50');
  });

  test('forgets the oldest entry when it is full', () => {
    const { overlay, read } = setUp({ capacity: 2 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      const { metadata, ...rest } = map(105 + index, key);
      overlay.put(key, { ...rest, metadata: { ...metadata, name: key } });
    }
    expect(['a', 'b', 'c'].map(read)).toEqual([undefined, 'b@106', 'c@107']);
    expect(overlay.objects()).toHaveLength(2);
  });
});
