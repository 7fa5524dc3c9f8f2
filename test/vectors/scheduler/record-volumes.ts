// Lets a real kube-scheduler place pods with volumes in clusters made up at random, and records what it decides. Claims that it
// has volumes chosen or made for are bound by hand.
//   npm run peers -- etcd kube-apiserver kube-scheduler, then: node scripts/run.mjs test/vectors/scheduler/record-volumes.ts
import { parseArgs } from 'node:util';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { SeededRandom } from '../../../src/base/index.ts';
import { type Client, connect, mergePatch, type Pod, type Stored } from '../../../src/client/index.ts';
import type { RandomPod } from './random-cluster.ts';
import { RandomVolumes } from './random-volumes.ts';
import { type VolumeDecision, type VolumeObjects, type VolumeRun, writeVolumeRuns } from './recorded-volumes.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '8' }, seed: { type: 'string', default: 'volumes' } },
});
const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot record: ${why}`);
  process.exit(1);
}
const admission = 'ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection,DefaultStorageClass';
const random = new RandomVolumes(new SeededRandom(values.seed));
const runs: VolumeRun[] = [];
for (let index = 0; index < Number(values.runs); index++) {
  const objects = random.objects();
  // a separate scheduler for each run: its caches may still hold objects of the previous run
  await using kube = await startKube({
    parts: ['kube-scheduler'],
    apiserverFlags: [`--disable-admission-plugins=${admission}`],
  });
  await using client = await connect({ kubeconfig: kube.kubeconfig });
  await make(client, objects);
  await pause(2000); // the scheduler hears of different kinds by different watches
  const pods: VolumeDecision[] = [];
  for (const pod of random.pods()) pods.push(await decided(client, pod));
  runs.push({ objects, pods });
  const placed = pods.filter(({ node }) => node !== undefined).length;
  console.log(`run ${index}: ${pods.length} pods, ${placed} of them placed`);
}
writeVolumeRuns(runs);

async function make({ core, storage }: Client, objects: VolumeObjects): Promise<void> {
  for (const { metadata, spec, status } of objects.nodes) {
    await core.v1.nodes.create({ metadata, spec });
    await core.v1.nodes.status.patch(metadata.name, mergePatch({ status }));
  }
  for (const each of objects.csiNodes) await storage.v1.csinodes.create(each);
  for (const each of objects.classes) await storage.v1.storageclasses.create(each);
  for (const each of objects.drivers) await storage.v1.csidrivers.create(each);
  for (const each of objects.capacities) await storage.v1.csistoragecapacities.namespace('default').create(each);
  for (const each of objects.attachments) await storage.v1.volumeattachments.create(each);
  const uids = new Map<string, string>();
  for (const { metadata, spec, phase } of objects.claims) {
    const claims = core.v1.persistentvolumeclaims.namespace('default');
    uids.set(metadata.name, (await claims.create({ metadata, spec })).metadata.uid);
    await claims.status.patch(metadata.name, mergePatch({ status: { phase } }));
  }
  for (const { metadata, spec, phase } of objects.volumes) {
    const uid = phase === 'Bound' ? uids.get(spec.claimRef?.name ?? '') : undefined;
    const claimRef = uid === undefined ? spec.claimRef : { ...spec.claimRef, uid };
    await core.v1.persistentvolumes.create({ metadata, spec: { ...spec, claimRef } });
    await core.v1.persistentvolumes.status.patch(metadata.name, mergePatch({ status: { phase } }));
  }
}

/** Has a pod tried once; one that waits for its volumes gets them. */
async function decided(client: Client, { name, spec }: RandomPod): Promise<VolumeDecision> {
  const pods = client.core.v1.pods.namespace('default');
  const before = await waiting(client);
  const created = await pods.create({ metadata: { name }, spec });
  const kept = {
    containers: created.spec?.containers,
    volumes: created.spec?.volumes,
    affinity: created.spec?.affinity,
  };
  let pod: Stored<Pod>;
  for (;;) {
    pod = await pods.get(name);
    if (pod.spec?.nodeName !== undefined || pod.status?.nominatedNodeName !== undefined) break;
    const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (condition !== undefined) {
      await pods.delete(name, { gracePeriodSeconds: 0 }); // it must not be tried again
      return { name, spec: kept, message: condition.message ?? '' };
    }
    await pause(5);
  }
  const node = pod.spec?.nodeName ?? pod.status?.nominatedNodeName ?? '';
  const claimNames = (spec.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  );
  const wanted = [...new Set(claimNames)].filter((claim) => before.has(claim));
  const chosen: Record<string, string> = {};
  for (const claim of wanted) chosen[claim] = await choice(client, claim);
  for (const claim of wanted) await bind(client, claim, chosen[claim] ?? '');
  while ((await pods.get(name)).spec?.nodeName === undefined) await pause(20);
  await pause(250); // the scheduler hears of the binding by other watches than that of pods
  return { name, spec: kept, node, chosen };
}

/** The claims that are not bound. */
async function waiting(client: Client): Promise<Set<string>> {
  const { items } = await client.core.v1.persistentvolumeclaims.namespace('default').list();
  return new Set(items.flatMap(({ metadata, status }) => (status?.phase === 'Pending' ? metadata.name : [])));
}

/** The volume that the scheduler has reserved for a claim, or none when the claim asks for one. */
async function choice(client: Client, name: string): Promise<string> {
  const { persistentvolumeclaims, persistentvolumes } = client.core.v1;
  for (;;) {
    const claim = await persistentvolumeclaims.namespace('default').get(name);
    const { items } = await persistentvolumes.list();
    const reserved = items.find(({ spec }) => spec?.claimRef?.uid === claim.metadata.uid);
    if (reserved !== undefined) return reserved.metadata.name;
    if (claim.metadata.annotations?.['volume.kubernetes.io/selected-node'] !== undefined) return '';
    await pause(10);
  }
}

/** Does what provisioner and binder would. */
async function bind(client: Client, name: string, chosen: string): Promise<void> {
  const { persistentvolumeclaims, persistentvolumes } = client.core.v1;
  const claims = persistentvolumeclaims.namespace('default');
  const claim = await claims.get(name);
  const volumeName = chosen === '' ? `made-${name}` : chosen;
  if (chosen === '')
    await persistentvolumes.create({
      metadata: { name: volumeName },
      spec: {
        accessModes: claim.spec?.accessModes ?? [],
        capacity: { storage: '5Gi' },
        storageClassName: claim.spec?.storageClassName ?? '',
        claimRef: { namespace: 'default', name, uid: claim.metadata.uid },
        csi: { driver: 'csi.example.com', volumeHandle: volumeName },
      },
    });
  await persistentvolumes.status.patch(volumeName, mergePatch({ status: { phase: 'Bound' } }));
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  await claims.patch(name, mergePatch({ metadata: { annotations }, spec: { volumeName } }));
  await claims.status.patch(name, mergePatch({ status: { phase: 'Bound' } }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
