import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasReason } from '../../../client/index.ts';
import { nodeAgent, type NodeOptions } from '../../../node/index.ts';
import { MemoryMachine } from '../../../node/testing/memory-backend.ts';
import { NodeCluster } from '../../../node/testing/node-cluster.ts';
import { podsOfManifest } from '../../../resources/core/pod-manifests.ts';

type ManifestReader = NonNullable<NodeOptions['staticPods']>['read'];

let folder: string;
let machine: MemoryMachine;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'));
  machine = new MemoryMachine();
});
afterEach(() => rm(folder, { recursive: true }));

const manifest = (image: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: web, labels: { app: web } }\nspec:\n  containers: [{ name: web, image: ${image} }]\n`;

const start = (options: object = { path: folder }): Promise<NodeCluster> =>
  NodeCluster.start(nodeAgent({ backend: machine.open, staticPods: { read: podsOfManifest, ...options } }));

const running = (): readonly string[] =>
  [...machine.containers.values()].filter(({ state }) => state === 'CONTAINER_RUNNING').map(({ image }) => image.image);

describe('static pods', () => {
  test('run, and are shown in the API by a mirror, with their status', async () => {
    await writeFile(join(folder, 'web.yaml'), manifest('nginx:1'));
    await writeFile(join(folder, '.hidden.yaml'), manifest('nginx:0'));
    await using cluster = await start();
    await cluster.advance('30s');
    expect(running()).toEqual(['nginx:1']);
    const { metadata, spec, status } = await cluster.pods.get('web-keelson');
    const { annotations = {}, ownerReferences, labels } = metadata;
    const hash = annotations['kubernetes.io/config.hash'] ?? '';
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(annotations).toMatchObject({
      'kubernetes.io/config.mirror': hash,
      'kubernetes.io/config.source': 'file',
    });
    expect(ownerReferences).toMatchObject([{ kind: 'Node', name: 'keelson', controller: true }]);
    expect([labels, spec?.nodeName, status?.phase]).toEqual([{ app: 'web' }, 'keelson', 'Running']);
    expect(spec?.tolerations).toContainEqual({ operator: 'Exists', effect: 'NoExecute' });
    expect([...machine.containers.values()].map((each) => each.labels['io.kubernetes.pod.uid'])).toEqual([hash]);
  });

  test('stay when their mirror is deleted, which comes back', async () => {
    await writeFile(join(folder, 'web.yaml'), manifest('nginx:1'));
    await using cluster = await start();
    await cluster.advance('30s');
    const before = await cluster.pods.get('web-keelson');
    await cluster.pods.delete('web-keelson');
    await cluster.settle();
    await cluster.advance('10s');
    const after = await cluster.pods.get('web-keelson');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.status?.phase).toBe('Running');
    expect(after.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    expect(running()).toEqual(['nginx:1']);
    expect(machine.containers.size).toBe(1);
  });

  test('are replaced when their manifest changes, and end with it', async () => {
    await writeFile(join(folder, 'web.yaml'), manifest('nginx:1'));
    await using cluster = await start();
    await cluster.advance('30s');
    const before = await cluster.pods.get('web-keelson');
    await writeFile(join(folder, 'web.yaml'), manifest('nginx:2'));
    await cluster.advance('60s');
    await cluster.advance('60s');
    expect(running()).toEqual(['nginx:2']);
    const after = await cluster.pods.get('web-keelson');
    expect(after.spec?.containers[0]?.image).toBe('nginx:2');
    expect(after.metadata.annotations?.['kubernetes.io/config.mirror']).not.toBe(
      before.metadata.annotations?.['kubernetes.io/config.mirror'],
    );
    await rm(join(folder, 'web.yaml'));
    await cluster.advance('60s');
    await cluster.advance('60s');
    expect(running()).toEqual([]);
    await expect(cluster.pods.get('web-keelson')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
    expect(machine.rest).toEqual([]);
  });

  test('with an id of their own start a container again whose image changes, and nothing else', async () => {
    const own = (text: string): string => text.replace('name: web,', 'name: web, uid: my-own,');
    await writeFile(join(folder, 'web.yaml'), own(manifest('nginx:1')));
    await using cluster = await start();
    await cluster.advance('30s');
    await writeFile(join(folder, 'web.yaml'), own(manifest('nginx:1, env: [{ name: A, value: b }]')));
    await cluster.advance('60s');
    expect([...machine.containers.values()].map(({ metadata }) => metadata.attempt)).toEqual([0]);
    await writeFile(join(folder, 'web.yaml'), own(manifest('nginx:2')));
    await cluster.advance('60s');
    expect(running()).toEqual(['nginx:2']);
    const { status } = await cluster.pods.get('web-keelson');
    expect(status?.containerStatuses).toMatchObject([{ restartCount: 1, image: 'nginx:2' }]);
    expect([...machine.sandboxes.values()].map(({ metadata }) => metadata.uid)).toEqual(['my-own']);
  });

  test('are limited as the QoS class of their spec says where no status tells it', async () => {
    const text = manifest('nginx:1, resources: { limits: { cpu: 1, memory: 1Gi } }');
    await writeFile(join(folder, 'web.yaml'), text);
    const read: ManifestReader = (bytes, change) =>
      podsOfManifest(bytes, change).map((pod) => ({ ...pod, status: { phase: 'Pending' } }));
    await using cluster = await start({ path: folder, read });
    await cluster.advance('30s');
    const [container] = [...machine.containers.values()];
    expect(container?.config.linux.resources.oomScoreAdj).toBe(-997);
  });

  test('go on when the agent starts again, and mirrors of those that are gone are removed', async () => {
    await writeFile(join(folder, 'web.yaml'), manifest('nginx:1'));
    await using cluster = await start();
    await cluster.advance('30s');
    await cluster.stopNodes();
    await cluster.startNodes();
    await cluster.advance('30s');
    expect([...machine.containers.values()].map(({ metadata }) => metadata.attempt)).toEqual([0]);
    await cluster.stopNodes();
    await rm(join(folder, 'web.yaml'));
    await cluster.startNodes();
    await cluster.advance('60s');
    await cluster.advance('60s');
    expect(running()).toEqual([]);
    await expect(cluster.pods.get('web-keelson')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
  });
});
