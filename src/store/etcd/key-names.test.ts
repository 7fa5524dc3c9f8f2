import { expect, test } from 'vitest';
import { prefixRange, singleKey } from '../key-range.ts';
import { keyNames } from './key-names.ts';

test('keys keep their names in etcd without another prefix', () => {
  for (const prefix of [undefined, '/registry', 'registry/', '//registry//']) {
    const names = keyNames(prefix);
    expect(names.toEtcd('/anything')).toBe('/anything');
    expect(names.rangeToEtcd(prefixRange('/registry/pods/'))).toEqual({
      key: '/registry/pods/',
      rangeEnd: '/registry/pods0',
    });
  }
});

test('an empty range, and one that starts at the empty key, do not become what etcd takes them for', () => {
  const names = keyNames();

  expect(names.rangeToEtcd({ from: 'b', to: 'b' })).toBeUndefined();
  expect(names.rangeToEtcd({ from: 'b', to: '' })).toBeUndefined();
  expect(names.rangeToEtcd({ from: '', to: '\0' })).toBeUndefined();
  expect(names.rangeToEtcd({ from: '', to: 'b' })).toEqual({ key: '\0', rangeEnd: 'b' });
});

test.each([
  ['/cluster', '/cluster/'],
  ['a/b/', '/a/b/'],
  ['/', '/'],
])('with prefix "%s" the keys are below "%s"', (prefix, root) => {
  const names = keyNames(prefix);

  expect(names.toEtcd('/registry/pods/x')).toBe(`${root}pods/x`);
  expect(names.fromEtcd(`${root}pods/x`)).toBe('/registry/pods/x');
  expect(names.rangeToEtcd(singleKey('/registry/pods/x'))).toEqual({
    key: `${root}pods/x`,
    rangeEnd: `${root}pods/x\0`,
  });
  expect(names.rangeToEtcd(prefixRange('/registry/'))).toEqual({ key: root, rangeEnd: prefixRange(root).to });
  expect(() => names.toEtcd('/other')).toThrow(TypeError);
});
