import { describe, expect, test } from 'vitest';
import { readOptions } from './options.ts';

describe('readOptions()', () => {
  test('runs class A against Keelson by default', () => {
    expect(readOptions([])).toMatchObject({ classes: ['A'], server: 'keelson', update: false, focus: undefined });
  });

  test('takes several classes, a focus and flags of the server', () => {
    const options = readOptions(['--class', 'A,B', '--focus', 'Watch', '--server-flag=--nodes=2']);

    expect(options).toMatchObject({ classes: ['A', 'B'], focus: /Watch/, serverFlags: ['--nodes=2'] });
  });

  test('takes a real node, which has more time', () => {
    expect(readOptions([])).toMatchObject({ node: 'simulated', timeoutMinutes: 60 });
    expect(readOptions(['--class', 'C', '--node', 'kubelet'])).toMatchObject({ node: 'kubelet', timeoutMinutes: 150 });
  });

  test('says what is wrong with an argument', () => {
    expect(() => readOptions(['--class', 'X'])).toThrow('--class must be letters from A to G, got "X"');
    expect(() => readOptions(['--server', 'k3s'])).toThrow('--server must be keelson or kube, got "k3s"');
    expect(() => readOptions(['--procs', '0'])).toThrow('--procs must be a whole number from 1 to 9999, got "0"');
    expect(() => readOptions(['--server', 'kube', '--update'])).toThrow('--update');
    expect(() => readOptions(['--class', 'B,C', '--update'])).toThrow('give --node');
    expect(() => readOptions(['--node', 'docker'])).toThrow(
      '--node must be simulated or kubelet or keelson, got "docker"',
    );
    expect(() => readOptions(['--sample', '0'])).toThrow('--sample must be a whole number from 1 to 9999, got "0"');
  });
});
