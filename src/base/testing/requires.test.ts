import { afterEach, expect, test, vi } from 'vitest';
import { requires, skipWhen } from './requires.ts';

afterEach(() => vi.unstubAllEnvs());

function onBareMachine(variables: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries({ PATH: '', KEELSON_ETCD: '', KEELSON_REQUIRE: '', ...variables }))
    vi.stubEnv(name, value);
}

test('tests are skipped, with the reason, where a program is missing', () => {
  onBareMachine();

  expect(requires('etcd', 'openssl')).toEqual({ skip: true, meta: { skipReason: 'etcd and openssl not found' } });
});

test('tests run where the program is on the PATH or named by its variable', () => {
  onBareMachine({ KEELSON_ETCD: '/opt/etcd' });

  expect(requires('etcd')).toEqual({});
});

test('KEELSON_REQUIRE makes skipping an error, for the programs it names', () => {
  onBareMachine({ KEELSON_REQUIRE: 'etcd,kubectl' });

  expect(() => requires('openssl', 'etcd')).toThrow('Cannot skip tests that need "etcd"');
  expect(requires('openssl')).toMatchObject({ skip: true });
});

test('KEELSON_REQUIRE names known programs only', () => {
  onBareMachine({ KEELSON_REQUIRE: 'etdc' });

  expect(() => requires('etcd')).toThrow(/^Cannot require "etdc": known are .*\bcurl, etcd, helm, kubectl, openssl\b/);
});

test('tests are skipped with a given reason when their condition holds', () => {
  expect(skipWhen(true, 'no peer')).toEqual({ skip: true, meta: { skipReason: 'no peer' } });
  expect(skipWhen(false, 'no peer')).toEqual({});
});
