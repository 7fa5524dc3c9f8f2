import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

test('without flags everything runs on ours', () => {
  expect(readOptions([])).toEqual({ server: 'keelson', only: undefined, bundle: undefined });
});

test('flags choose the server and the subjects', () => {
  const { server, only } = readOptions(['--server', 'kube', '--only', 'kopf|rust']);
  expect([server, only?.test('Rust kube-rs'), only?.test('Java fabric8')]).toEqual(['kube', true, false]);
});

test('a server that we do not know is refused', () => {
  expect(() => readOptions(['--server', 'other'])).toThrow('--server must be keelson or kube, got "other"');
});
