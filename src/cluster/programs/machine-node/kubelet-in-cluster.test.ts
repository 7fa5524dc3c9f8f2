import { expect, test } from 'vitest';
import type { FlagValues } from '../flag.ts';
import { nodeFlags } from '../kubelet/node-flags.ts';
import { controllersOf } from '../controller-manager/read-flags.ts';
import { realNodeFlags } from './kubelet-in-cluster.ts';
import { podCidrsOf } from './pod-network/pod-cidrs.ts';
import { NO_FLAGS } from '../settings/flag-texts.ts';

const ENDPOINT = 'unix:///run/containerd/containerd.sock';
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

function flags(given: Readonly<Record<string, string>>): FlagValues {
  return {
    ...NO_FLAGS,
    has: (name) => Object.hasOwn(given, name),
    text: (name) => given[name],
    integer: (name) => (given[name] === undefined ? undefined : Number(given[name])),
  };
}

test('a node with real containers takes the place of the simulated one, unless a number is asked for', () => {
  expect(nodeFlags(flags({})).nodes).toBe(1);
  expect(nodeFlags(flags({ 'container-runtime-endpoint': ENDPOINT })).nodes).toBe(0);
  expect(nodeFlags(flags({ 'container-runtime-endpoint': ENDPOINT, nodes: '3' })).nodes).toBe(3);
});

test('without the flag there is no such node, and its configuration is refused', () => {
  expect(realNodeFlags(flags({}))).toEqual({});
  expect(() => realNodeFlags(flags({ 'kubelet-config': 'a.yaml' }))).toThrow(
    '--kubelet-config needs --container-runtime-endpoint',
  );
});

test('nodes get networks for their pods where the network of the real one is configured', () => {
  const networksOf = (given: Readonly<Record<string, string>>): unknown =>
    controllersOf({ ...flags(given), isSet: (name) => name === 'write-cni-config' && given[name] !== 'false' })
      .controllerSettings?.clusterCidrs;
  const real = { 'container-runtime-endpoint': ENDPOINT };
  expect(networksOf({})).toBeUndefined();
  expect(networksOf(real)).toEqual(['10.244.0.0/16']);
  expect(networksOf({ ...real, nodes: '3' })).toEqual(['10.64.0.0/16']);
  expect(networksOf({ ...real, 'pod-cidr': '10.5.0.0/24' })).toBeUndefined();
  expect(networksOf({ ...real, 'write-cni-config': 'false' })).toBeUndefined();
});

test.each([
  ['10.5.0.0', 'must be a range such as 10.244.0.0/24'],
  ['10.5.0.0/24,10.6.0.0/24', 'must be one range, or one of each family'],
])('--pod-cidr %s is refused', (text, message) => {
  expect(() => podCidrsOf(text.split(','))).toThrow(message);
});

test('the node has the settings of a kubelet, or says that it needs Linux and root', () => {
  const asked = flags({ 'container-runtime-endpoint': ENDPOINT, 'node-ip': '10.0.0.7', 'root-dir': '/tmp/kubelet' });
  if (!isRoot) {
    expect(() => realNodeFlags(asked)).toThrow(/needs (Linux|root)/);
    return;
  }
  expect(realNodeFlags(asked).realNode).toMatchObject({
    addresses: ['10.0.0.7'],
    rootDir: '/tmp/kubelet',
    settings: { containerRuntimeEndpoint: ENDPOINT, failSwapOn: false, failCgroupV1: false, port: 10_250 },
  });
});
