import { expect, test } from 'vitest';
import type { ConformanceTest } from './classes.ts';
import { suiteArguments } from './suite.ts';

const options = {
  programs: { ginkgo: 'ginkgo', suite: 'e2e.test', kubectl: 'kubectl' },
  kubeconfig: 'kubeconfig',
  output: 'out',
  processes: 4,
  timeoutMinutes: 60,
  limitSeconds: 120,
  print: () => undefined,
};

test('checks that the cluster cannot meet are turned off', () => {
  const args = suiteArguments([], {
    ...options,
    abilities: { nodes: 0, fillsNamespaces: false, removesNamespaces: false },
  });

  expect(args).toEqual(
    expect.arrayContaining([
      '--num-nodes=0',
      '--allowed-not-ready-nodes=-1',
      '--e2e-verify-service-account=false',
      '--delete-namespace=false',
    ]),
  );
});

test('a whole cluster is checked as upstream does it', () => {
  const args = suiteArguments([], {
    ...options,
    abilities: { nodes: 2, fillsNamespaces: true, removesNamespaces: true },
  });

  expect(args).toEqual(expect.arrayContaining(['--e2e-verify-service-account=true', '--delete-namespace=true']));
  expect(args.filter((arg) => /nodes/.test(arg))).toEqual([]);
});

test('a test that is slow by nature has no limit', () => {
  const slow: ConformanceTest = {
    class: 'A',
    tags: [],
    source: 'x.go:1',
    name: '[sig-x] Lists should be whole (always) [Slow] [Conformance]',
  };
  const args = suiteArguments([slow, { ...slow, name: 'other' }], {
    ...options,
    abilities: { nodes: 0, fillsNamespaces: false, removesNamespaces: false },
  });

  expect(args).toContain('--spec-limit=120s');
  expect(args).toContain('--slow-specs=["[sig-x] Lists should be whole (always)"]');
});
