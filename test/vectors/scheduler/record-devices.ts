// Lets a real kube-scheduler give devices, made up at random, to claims made up at random, and records what it does.
//   npm run peers -- etcd kube-apiserver kube-scheduler, then:
//   node scripts/run.mjs test/vectors/scheduler/record-devices.ts [--runs 10] [--pods 40] [--seed TEXT]
import { parseArgs } from 'node:util';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { SeededRandom } from '../../../src/base/index.ts';
import { type Client, connect, mergePatch, type Pod, type Stored, StatusError } from '../../../src/client/index.ts';
import { RandomDevices, type RandomDevicePod } from './random-devices.ts';
import { type RecordedDevicePod, type RecordedDeviceRun, writeDeviceRuns } from './recorded-devices.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    pods: { type: 'string', default: '40' },
    seed: { type: 'string', default: 'devices' },
  },
});

const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot record: ${why}`);
  process.exit(1);
}
const apiserverFlags = ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'];
await using kube = await startKube({ parts: ['kube-scheduler'], apiserverFlags });
await using client = await connect({ kubeconfig: kube.kubeconfig });
await client.core.v1.namespaces.patch(
  'default',
  mergePatch({ metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } }),
);
const random = new RandomDevices(new SeededRandom(values.seed));
const runs: RecordedDeviceRun[] = [];
for (let at = 0; at < Number(values.runs); at++) {
  const run = await record(client, random);
  runs.push(run);
  const placed = run.pods.filter(({ node }) => node !== undefined).length;
  console.log(`run ${at}: ${run.pods.length} pods, ${placed} of them placed`);
}
writeDeviceRuns(runs);

async function record({ core, resource }: Client, made: RandomDevices): Promise<RecordedDeviceRun> {
  await clear({ core, resource } as Client);
  const nodes = made.nodes();
  for (const { name, zone, plugged } of nodes) {
    await core.v1.nodes.create({ metadata: { name, labels: { 'kubernetes.io/hostname': name, zone } } });
    const allocatable = { cpu: '64', memory: '64Gi', pods: '110', ...(plugged ? { 'example.com/gpu': plugged } : {}) };
    await core.v1.nodes.status.patch(name, mergePatch({ status: { allocatable, capacity: allocatable } }));
  }
  for (const { name, spec } of made.classes()) await resource.v1.deviceclasses.create({ metadata: { name }, spec });
  for (const { name, spec } of made.slices(nodes))
    await resource.v1.resourceslices.create({ metadata: { name }, spec });
  await pause(1500); // the scheduler hears of kinds by different watches
  const pods: RecordedDevicePod[] = [];
  for (const pod of made.pods(Number(values.pods))) {
    const recorded = await recordPod(pod);
    if (recorded !== undefined) pods.push(recorded);
  }
  return {
    nodes: (await core.v1.nodes.list()).items.map(plain),
    classes: (await resource.v1.deviceclasses.list()).items.map(plain),
    slices: (await resource.v1.resourceslices.list()).items.map(plain),
    pods,
  };
}

/** The pod after it was tried once; undefined when the API server does not want it. */
async function recordPod({ name, claims, spec }: RandomDevicePod): Promise<RecordedDevicePod | undefined> {
  const inDefault = client.resource.v1.resourceclaims.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  try {
    for (const claim of claims) await inDefault.create({ metadata: { name: claim.name }, spec: claim.spec });
    await pods.create({ metadata: { name }, spec } as Pod);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 422) throw error;
    console.log(`refused: ${error.message}`);
    await forget(name, claims);
    return undefined;
  }
  const before = await Promise.all(claims.map((claim) => inDefault.get(claim.name)));
  const pod = await tried(name);
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (pod.spec?.nodeName === undefined) {
    const { reason, message } = condition ?? {};
    const recorded = { pod: plain({ ...pod, status: {} }), claims: before.map(plain), reason, message };
    await forget(name, claims);
    return recorded;
  }
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const names = [...claims.map((claim) => claim.name), ...(extended === undefined ? [] : [extended])];
  const allocated = await Promise.all(names.map((claim) => inDefault.get(claim)));
  return { pod: plain(pod), claims: before.map(plain), node: pod.spec.nodeName, allocated: allocated.map(plain) };
}

async function tried(name: string): Promise<Stored<Pod>> {
  for (let looks = 0; looks < 4000; looks++) {
    const pod = await client.core.v1.pods.namespace('default').get(name);
    if (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true) return pod;
    await pause(5);
  }
  throw new Error(`Pod ${name} was not tried`);
}

/** A pod that failed would be tried again when something changes. */
async function forget(name: string, claims: readonly { readonly name: string }[]): Promise<void> {
  await client.core.v1.pods
    .namespace('default')
    .delete(name, { gracePeriodSeconds: 0 })
    .catch(() => undefined);
  for (const claim of claims) await forgetClaim(claim.name);
}

async function forgetClaim(name: string): Promise<void> {
  const claims = client.resource.v1.resourceclaims.namespace('default');
  await claims.patch(name, mergePatch({ metadata: { finalizers: null } })).catch(() => undefined);
  await claims.delete(name).catch(() => undefined);
}

async function clear({ core, resource }: Client): Promise<void> {
  const pods = core.v1.pods.namespace('default');
  for (const { metadata } of (await pods.list()).items) await pods.delete(metadata.name, { gracePeriodSeconds: 0 });
  for (const { metadata } of (await resource.v1.resourceclaims.namespace('default').list()).items)
    await forgetClaim(metadata.name);
  for (const { metadata } of (await resource.v1.resourceslices.list()).items)
    await resource.v1.resourceslices.delete(metadata.name);
  for (const { metadata } of (await resource.v1.deviceclasses.list()).items)
    await resource.v1.deviceclasses.delete(metadata.name);
  for (const { metadata } of (await core.v1.nodes.list()).items) await core.v1.nodes.delete(metadata.name);
}

/** The object without members that are not compared. */
function plain<T extends { readonly metadata: { readonly managedFields?: unknown } }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
