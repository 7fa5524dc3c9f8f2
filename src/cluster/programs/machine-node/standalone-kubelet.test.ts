import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LineLogger, settle, VirtualClock } from '../../../base/index.ts';
import { Client } from '../../../client/index.ts';
import { app } from '../../../kit/index.ts';
import { type NodeAgent, nodeAgent } from '../../../node/index.ts';
import { MemoryMachine } from '../../../node/testing/memory-backend.ts';
import { podsOfManifest } from '../../../resources/core/pod-manifests.ts';
import type { StandaloneTools } from '../program.ts';
import { NO_FLAGS } from '../settings/flag-texts.ts';
import { NoCluster } from './no-cluster.ts';
import { standaloneKubelet } from './standalone-kubelet.ts';

test('without --kubeconfig and manifests a kubelet says what it needs, before it touches the machine', async () => {
  const untouched = {} as StandaloneTools; // it is refused before it uses any
  const words = process.platform === 'linux' ? 'the kubelet needs --kubeconfig' : 'the kubelet needs Linux';
  await expect(standaloneKubelet(NO_FLAGS, untouched)).rejects.toThrow(words);
});

test('a node without a cluster runs the pods of its manifests, ends them with those, and complains about nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'));
  const clock = new VirtualClock({ settle });
  const lines: string[] = [];
  const log = new LineLogger({ clock, level: 'warn', write: (line) => lines.push(line) });
  const machine = new MemoryMachine();
  const running = (): readonly string[] =>
    [...machine.containers.values()]
      .filter(({ state }) => state === 'CONTAINER_RUNNING')
      .map(({ image }) => image.image);
  const stop = new AbortController();
  const pass = async (seconds: number): Promise<void> => {
    await settle();
    await clock.advance(seconds * 1000);
    await settle();
  };
  try {
    await using client = new Client(new NoCluster(), { clock, log });
    const agents: NodeAgent[] = [];
    const part = nodeAgent({
      backend: machine.open,
      staticPods: { read: podsOfManifest, path: folder },
      onAgent: (agent) => agents.push(agent),
    });
    const node = app('kubelet', [part]).run(client, stop.signal);
    await writeFile(
      join(folder, 'web.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec:\n  containers: [{ name: web, image: nginx:1 }]\n',
    );
    for (let minute = 0; minute < 3; minute++) await pass(60);
    expect(running()).toEqual(['nginx:1']);
    expect(agents[0]?.served.pods()).toMatchObject([
      { metadata: { name: 'web-keelson' }, status: { phase: 'Running' } },
    ]);
    await rm(join(folder, 'web.yaml'));
    for (let minute = 0; minute < 3; minute++) await pass(60);
    expect(running()).toEqual([]);
    expect(machine.rest).toEqual([]);
    stop.abort();
    await node;
    expect(lines).toEqual([]);
  } finally {
    stop.abort();
    await rm(folder, { recursive: true });
  }
});
