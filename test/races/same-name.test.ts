// Objects that are gone and come again under the same name while a client is about to delete them (issue 12, F).
import { expect, test } from 'vitest';
import {
  ConfigMap,
  type KubernetesObject,
  mergePatch,
  type Pod,
  type ResourceClient,
  type ReplicaSet,
  Secret,
  type Stored,
} from '../../src/client/index.ts';
import { deploymentController } from '../../src/controllers/deployment/deployment-controller.ts';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { podGc } from '../../src/controllers/pod-gc/pod-gc.ts';
import { replicaSetController } from '../../src/controllers/replicaset/index.ts';
import { taintEvictionController } from '../../src/controllers/taint-eviction/taint-eviction.ts';
import { controller } from '../../src/kit/index.ts';
import { nodeAgents } from '../../src/node/index.ts';
import { simulatedBackend } from '../../src/simulated/index.ts';
import { to } from './interposed-transport.ts';
import { Race, recreate } from './race.ts';

const SPEC = { containers: [{ name: 'main', image: 'image' }] };

function ownedBy({ kind, apiVersion, metadata: { name, uid } }: Stored<KubernetesObject>): object {
  return { kind, apiVersion, name, uid };
}

async function survives<T extends KubernetesObject>(
  resource: ResourceClient<T>,
  successor: Stored<T> | undefined,
): Promise<void> {
  const { metadata } = await resource.get(successor?.metadata.name ?? '');
  expect(metadata.uid).toBe(successor?.metadata.uid);
  expect(metadata.deletionTimestamp).toBeUndefined();
}

/** An owner, and a child that is to be deleted after it. */
async function family(race: Race): Promise<void> {
  const owner = await race.maps.create({ metadata: { name: 'owner' } });
  await race.maps.create({ metadata: { name: 'child', ownerReferences: [ownedBy(owner) as never] } });
  await race.settle();
}

test('the garbage collector spares the successor of what it is about to delete', async () => {
  await using race = await Race.start(garbageCollector());
  await family(race);
  let successor: Stored<ConfigMap> | undefined;
  race.transport.before(to('DELETE', 'child'), async () => {
    successor = await recreate(race.maps, { metadata: { name: 'child' } });
  });

  await race.maps.delete('owner');
  await race.finish();

  await survives(race.maps, successor);
});

test('the garbage collector spares the successor when it tries again because the first one had changed', async () => {
  await using race = await Race.start(garbageCollector());
  await family(race);
  let successor: Stored<ConfigMap> | undefined;
  race.transport.before(to('DELETE', 'child'), async () => {
    await race.maps.patch('child', mergePatch({ data: { changed: 'yes' } }));
    race.transport.before(to('DELETE', 'child'), async () => {
      successor = await recreate(race.maps, { metadata: { name: 'child' } });
    });
  });

  await race.maps.delete('owner');
  await race.finish();

  await survives(race.maps, successor);
});

test('the garbage collector leaves the finalizer of a successor alone', async () => {
  await using race = await Race.start(garbageCollector());
  await family(race);
  let successor: Stored<ConfigMap> | undefined;
  race.transport.before(to('PATCH', 'child'), async () => {
    successor = await recreate(race.maps, { metadata: { name: 'owner', finalizers: ['orphan'] } });
  });

  await race.maps.delete('owner', { propagationPolicy: 'Orphan' });
  await race.finish();

  expect((await race.maps.get('owner')).metadata).toMatchObject({
    uid: successor?.metadata.uid,
    finalizers: ['orphan'],
  });
});

test('a node spares the successor of a pod that has ended on it', async () => {
  await using race = await Race.start(nodeAgents({ backend: simulatedBackend() }));
  const pods = race.client.core.v1.pods.namespace('default');
  await pods.create({ metadata: { name: 'web' }, spec: { ...SPEC, nodeName: 'keelson' } });
  await race.settle();
  let successor: Stored<Pod> | undefined;
  race.transport.before(to('DELETE', 'web'), async () => {
    successor = await recreate(pods, { metadata: { name: 'web' }, spec: { ...SPEC, nodeName: 'keelson' } });
  });

  await pods.delete('web', { gracePeriodSeconds: 1 });
  await race.finish();

  await survives(pods, successor);
});

test('the collection of pods spares the successor of a pod that was over', async () => {
  await using race = await Race.start(podGc({ terminatedPodThreshold: 1 }));
  const pods = race.client.core.v1.pods.namespace('default');
  let successor: Stored<Pod> | undefined;
  race.transport.before(to('DELETE', 'old'), async () => {
    successor = await recreate(pods, { metadata: { name: 'old' }, spec: SPEC });
  });
  for (const name of ['old', 'new']) {
    const pod = await pods.create({ metadata: { name }, spec: SPEC });
    await pods.status.update({ ...pod, status: { phase: 'Succeeded' } });
    await race.running.clock.advance('1s');
  }

  await race.finish();

  await survives(pods, successor);
});

test('eviction by taint spares the successor of the pod', async () => {
  await using race = await Race.start(taintEvictionController());
  const { nodes, pods: all } = race.client.core.v1;
  const pods = all.namespace('default');
  await nodes.create({ metadata: { name: 'n1' }, spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
  let successor: Stored<Pod> | undefined;
  race.transport.before(to('DELETE', 'web'), async () => {
    successor = await recreate(pods, { metadata: { name: 'web' }, spec: { ...SPEC, nodeName: 'n2' } });
  });

  await pods.create({ metadata: { name: 'web' }, spec: { ...SPEC, nodeName: 'n1' } });
  await race.finish();

  await survives(pods, successor);
});

test('a Deployment that removes old ReplicaSets spares the successor of one', async () => {
  await using race = await Race.start(deploymentController(), replicaSetController());
  const deployments = race.client.apps.v1.deployments.namespace('default');
  const sets = race.client.apps.v1.replicasets.namespace('default');
  const template = (image: string): object => ({
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image }] },
  });
  const spec = { replicas: 0, revisionHistoryLimit: 0, selector: { matchLabels: { app: 'web' } } };
  await deployments.create({ metadata: { name: 'web' }, spec: { ...spec, template: template('one') as never } });
  await race.settle();
  const [old] = (await sets.list()).items;
  const name = old?.metadata.name ?? '';
  let successor: Stored<ReplicaSet> | undefined;
  race.transport.before(to('DELETE', name), async () => {
    successor = await recreate(sets, { metadata: { name, labels: old?.metadata.labels }, spec: old?.spec });
    await deployments.delete('web'); // it is not adopted, and no other reason deletes it
  });

  await deployments.patch('web', mergePatch({ spec: { template: template('two') } }));
  await race.finish();

  await survives(sets, successor);
});

test('a child that is not desired any more is deleted, its successor is not', async () => {
  const part = controller(ConfigMap, {
    name: 'owner',
    where: { labelSelector: 'parent' },
    owns: [Secret],
    async reconcile({ data }, { desireAll }) {
      await desireAll(Secret, data?.['wants'] === 'child' ? [{ metadata: { name: 'child' } }] : []);
    },
  });
  await using race = await Race.start(part);
  const secrets = race.client.core.v1.secrets.namespace('default');
  await race.maps.create({ metadata: { name: 'parent', labels: { parent: '' } }, data: { wants: 'child' } });
  await race.settle();
  let successor: Stored<Secret> | undefined;
  race.transport.before(to('DELETE', 'child'), async () => {
    successor = await recreate(secrets, { metadata: { name: 'child' } });
  });

  await race.maps.patch('parent', mergePatch({ data: { wants: 'nothing' } }));
  await race.finish();

  await survives(secrets, successor);
});
