import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Node } from '../../../../client/index.ts';
import { app } from '../../../../kit/index.ts';
import { startCluster } from '../../../../testing/index.ts';
import { podNetworkPart } from './pod-network-part.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-net-d-'));
});
afterEach(() => rm(folder, { recursive: true }));

const written = (): Promise<string> => readFile(join(folder, '99-keelson.conflist'), 'utf8').catch(() => '');

test('the file follows the ranges of the node, and of no other', async () => {
  await using cluster = await startCluster({
    nodes: 0,
    apps: [app('node', [podNetworkPart({ nodeName: 'mine', folder })])],
  });
  const nodes = cluster.client.kind(Node);
  await nodes.create({ metadata: { name: 'other' }, spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] } });
  await nodes.create({ metadata: { name: 'mine' } });
  await cluster.settle();
  expect(await written()).toBe('');
  await nodes.update({ ...(await nodes.get('mine')), spec: { podCIDR: '10.8.0.0/24', podCIDRs: ['10.8.0.0/24'] } });
  await cluster.settle();
  while (!(await written()).includes('10.8.0.0/24')) await new Promise((resolve) => void setImmediate(resolve));
});

test('a file of the administrator takes the place of ours as soon as it is there', async () => {
  const part = podNetworkPart({ nodeName: 'mine', folder, podCidrs: ['10.7.0.0/24'] });
  await using _cluster = await startCluster({ nodes: 0, apps: [app('node', [part])] });
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  while ((await written()) === '') await turn();
  await writeFile(join(folder, '10-own.conflist'), '{"name":"own","plugins":[{"type":"ptp"}]}');
  while ((await written()) !== '') await turn();
  await rm(join(folder, '10-own.conflist'));
  while ((await written()) === '') await turn();
});

test('ranges that are given do not wait for the node', async () => {
  const part = podNetworkPart({ nodeName: 'mine', folder, podCidrs: ['10.7.0.0/24'] });
  await using _cluster = await startCluster({ nodes: 0, apps: [app('node', [part])] });
  while (!(await written()).includes('10.7.0.0/24')) await new Promise((resolve) => void setImmediate(resolve));
});
