import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clone, deepFreeze } from '../../base/index.ts';
import { StructureSharing } from './structure-sharing.ts';

interface Thing {
  name: string;
  spec: { tolerations: { key: string }[]; image: string };
}

function thing(name: string, image = 'registry.example.test/web:1'): Thing {
  return { name, spec: { tolerations: [{ key: 'node.kubernetes.io/not-ready' }], image } };
}

describe('parts that are equal are kept once', () => {
  test('between objects', () => {
    const sharing = new StructureSharing();
    const first = sharing.share(thing('a'));
    const second = sharing.share(thing('b'));
    const third = sharing.share(thing('c', 'registry.example.test/web:2'));

    expect(second).toEqual(thing('b'));
    expect(second).not.toBe(first);
    expect(second.spec).toBe(first.spec);
    expect(third.spec).not.toBe(first.spec);
    expect(third.spec.tolerations).toBe(first.spec.tolerations);
  });

  test('between versions of an object, however long ago the old one was seen', () => {
    const sharing = new StructureSharing();
    const old = sharing.share(thing('a', 'registry.example.test/rare'));
    for (let index = 0; index < 100; index++)
      sharing.share({ name: 'x', spec: { tolerations: [], image: `registry.example.test/${index}` } });

    const now = sharing.share(thing('b', 'registry.example.test/rare'), old);

    expect(now.spec).toBe(old.spec);
    expect(sharing.share(thing('a', 'registry.example.test/rare'), old)).toBe(old);
  });
});

test('results are frozen deeply', () => {
  const shared = new StructureSharing().share(thing('a'));

  expect(Object.isFrozen(shared.spec.tolerations[0])).toBe(true);
  expect(() => (shared.spec.tolerations as unknown[]).push(1)).toThrow(TypeError);
});

test('a frozen value is returned unchanged', () => {
  const sharing = new StructureSharing();
  sharing.share(thing('a'));
  const frozen = deepFreeze(thing('a'));

  expect(sharing.share(frozen)).toBe(frozen);
});

test('a member that is undefined is not the same as another one', () => {
  const sharing = new StructureSharing();
  sharing.share({ a: { x: undefined, z: 1 } });

  expect(sharing.share({ a: { y: 'another member', z: 1 } })).toEqual({ a: { y: 'another member', z: 1 } });
  expect(Object.keys(sharing.share({ a: { w: undefined, z: 1 } }).a)).toEqual(['w', 'z']);
});

test('sharing never changes a value', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 30 }), fc.array(fc.nat()), (values, olds) => {
      const sharing = new StructureSharing();
      const seen: unknown[] = [];
      for (const [index, value] of values.entries()) {
        const shared = sharing.share(clone(value), seen[(olds[index] ?? 0) % (index + 1)] as typeof value);
        expect(shared).toEqual(value);
        seen.push(shared);
      }
    }),
  );
});
