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

  test('takes the parts of a real network', () => {
    expect(readOptions([])).toMatchObject({ cluster: undefined });
    expect(readOptions(['--class', 'D', '--node', 'kubelet'])).toMatchObject({
      cluster: { mode: 'parts', nodes: 1, network: { proxy: 'kube-proxy', dns: 'coredns', policy: 'none' } },
    });
    expect(readOptions(['--class', 'D', '--node', 'keelson'])).toMatchObject({
      cluster: { network: { proxy: 'keelson', dns: 'keelson', policy: 'keelson' } },
    });
    const parts = ['--proxy', 'kube-proxy', '--dns', 'none', '--policy', 'none'];
    expect(readOptions(['--node', 'keelson', ...parts])).toMatchObject({
      cluster: { network: { proxy: 'kube-proxy', dns: 'none', policy: 'none' } },
    });
    expect(readOptions(['--node', 'keelson', '--mode', 'up'])).toMatchObject({ cluster: { mode: 'up' } });
  });

  test('takes two real nodes for tests that need them', () => {
    expect(readOptions(['--class', 'D,E', '--node', 'keelson'])).toMatchObject({ cluster: { nodes: 2 } });
    expect(readOptions(['--node', 'keelson', '--nodes', '3'])).toMatchObject({ cluster: { nodes: 3 } });
  });

  test('says which part of a cluster with real nodes does not fit', () => {
    const wrong = (...flags: readonly string[]): string => {
      try {
        return JSON.stringify(readOptions(flags));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(wrong('--node', 'keelson', '--proxy', 'ipvs')).toBe(
      '--proxy must be kube-proxy or keelson or none, got "ipvs"',
    );
    expect(wrong('--dns', 'keelson')).toBe('--dns is about real nodes: give --node');
    expect(wrong('--mode', 'up')).toBe('--mode is about real nodes: give --node');
    expect(wrong('--node', 'kubelet', '--mode', 'up')).toContain('--mode up is a cluster of Keelson alone');
    expect(wrong('--node', 'keelson', '--mode', 'up', '--dns', 'none')).toContain('not in mode up');
    expect(wrong('--node', 'keelson', '--mode', 'two')).toBe('--mode must be parts or up, got "two"');
    expect(wrong('--node', 'keelson', '--nodes', '9')).toBe('--nodes must be a number from 1 to 8, got "9"');
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
