// A program on @kubernetes/client-node: generated APIs, its informer, patches, applies; the election is written on its Lease API, for it has none.
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import {
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
} from '@kubernetes/client-node';
import { eventually, expect, expectCode, Report } from './outcomes.mjs';

const MANY = 25;
const PAGE_SIZE = 10;
const { values } = parseArgs({ options: { namespace: { type: 'string', default: 'interop-client-node' } } });
const namespace = values.namespace;
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const coordination = config.makeApiClient(CoordinationV1Api);

const { version } = createRequire(import.meta.url)('@kubernetes/client-node/package.json');
const report = new Report('@kubernetes/client-node', version);
for (const [name, run] of Object.entries({
  create,
  list,
  watch,
  'merge patch': mergePatch,
  'strategic patch': strategicPatch,
  apply,
  delete: deleteAll,
  lead,
})) {
  await report.step(name, run);
}
await core.deleteNamespace({ name: namespace }).catch(() => undefined); // the server goes away too
report.print();
process.exit(0); // connections of ended watches would hold us

async function create() {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  for (let index = 0; index < MANY; index += 1) {
    const metadata = { name: `many-${String(index).padStart(2, '0')}`, labels: { set: 'many' } };
    await core.createNamespacedConfigMap({ namespace, body: { metadata, data: { index: String(index) } } });
  }
  await eventually(() => core.readNamespacedServiceAccount({ name: 'default', namespace }));
  const containers = [{ name: 'main', image: 'registry.invalid/main:1' }];
  await core.createNamespacedPod({ namespace, body: { metadata: { name: 'alone' }, spec: { containers } } });
  const made = await apps.createNamespacedDeployment({ namespace, body: deployment('web') });
  expect(made.spec?.strategy?.rollingUpdate?.maxSurge === '25%', `no defaults: ${JSON.stringify(made.spec)}`);
  await eventually(async () => {
    const { items } = await apps.listNamespacedReplicaSet({ namespace, labelSelector: 'app=web' });
    expect(items.length === 1, `the Deployment has ${items.length} ReplicaSets`);
  });
}

async function list() {
  const names = new Set();
  const pages = [];
  let more;
  do {
    const options = { namespace, labelSelector: 'set=many', limit: PAGE_SIZE, _continue: more };
    const page = await core.listNamespacedConfigMap(options);
    for (const { metadata } of page.items) names.add(metadata?.name);
    pages.push(page.items.length);
    more = page.metadata?._continue;
  } while (more !== undefined && more !== '');
  expect(names.size === MANY && String(pages) === '10,10,5', `${names.size} names on pages of ${String(pages)}`);
}

/** The client's informer: one object goes through its life. */
async function watch() {
  const seen = [];
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const note = (what) => (object) => object.metadata?.name === 'lively' && seen.push(what);
  informer.on('add', note('add'));
  informer.on('update', note('update'));
  informer.on('delete', note('delete'));
  const failed = new Promise((_, reject) => informer.on('error', reject));
  await informer.start();
  try {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'lively' } } });
    for (let index = 0; index < 3; index += 1) {
      const body = { metadata: { name: 'lively' }, data: { round: String(index) } };
      await core.replaceNamespacedConfigMap({ name: 'lively', namespace, body });
    }
    await core.deleteNamespacedConfigMap({ name: 'lively', namespace });
    const wanted = 'add,update,update,update,delete';
    await Promise.race([failed, eventually(() => expect(String(seen) === wanted, `received ${String(seen)}`))]);
  } finally {
    await informer.stop();
  }
}

async function mergePatch() {
  const body = { data: { index: null, patched: 'yes' } };
  const patched = await core.patchNamespacedConfigMap(
    { name: 'many-00', namespace, body },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  expect(JSON.stringify(patched.data) === '{"patched":"yes"}', `data is ${JSON.stringify(patched.data)}`);
}

async function strategicPatch() {
  const containers = [{ name: 'sidecar', image: 'registry.invalid/sidecar:1' }];
  const patched = await apps.patchNamespacedDeployment(
    { name: 'web', namespace, body: { spec: { template: { spec: { containers } } } } },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  const names = patched.spec?.template.spec?.containers.map(({ name }) => name).sort();
  expect(String(names) === 'main,sidecar', `containers are ${String(names)}`);
}

async function apply() {
  const applyAs = (fieldManager, value, force) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { mine: value } };
    return core.patchNamespacedConfigMap(
      { name: 'applied', namespace, body, fieldManager, force },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    );
  };
  await applyAs('first', '1', false);
  await expectCode(409, () => applyAs('second', '2', false));
  const forced = await applyAs('second', '2', true);
  const managers = forced.metadata?.managedFields?.map(({ manager }) => manager);
  expect(forced.data?.mine === '2' && String(managers) === 'second', `managers are ${String(managers)}`);
}

async function deleteAll() {
  const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
  await expectCode(409, () => core.deleteNamespacedPod({ name: 'alone', namespace, body: { preconditions } }));
  await core.deleteNamespacedPod({ name: 'alone', namespace, gracePeriodSeconds: 0 });
  await expectCode(404, () => core.readNamespacedPod({ name: 'alone', namespace }));
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'set=many' });
  const left = await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=many' });
  expect(left.items.length === 0, `${left.items.length} of the collection are left`);
  await apps.deleteNamespacedDeployment({ name: 'web', namespace, propagationPolicy: 'Foreground' });
  await eventually(() => expectCode(404, () => apps.readNamespacedDeployment({ name: 'web', namespace })));
  const sets = await apps.listNamespacedReplicaSet({ namespace, labelSelector: 'app=web' });
  expect(sets.items.length === 0, `${sets.items.length} ReplicaSets are left`);
}

/** Two candidates for one Lease: one makes it, and of two that take it over at once the server lets one through. */
async function lead() {
  const spec = (holderIdentity, leaseTransitions) => {
    const now = new V1MicroTime();
    return { holderIdentity, leaseTransitions, leaseDurationSeconds: 15, acquireTime: now, renewTime: now };
  };
  const body = { metadata: { name: 'leader' }, spec: spec('first', 0) };
  const held = await coordination.createNamespacedLease({ namespace, body });
  await expectCode(409, () => coordination.createNamespacedLease({ namespace, body }));
  const take = (identity) =>
    coordination.replaceNamespacedLease({ name: 'leader', namespace, body: { ...held, spec: spec(identity, 1) } }).then(
      () => identity,
      (error) => error.code,
    );
  const answers = await Promise.all([take('second'), take('third')]);
  expect(answers.includes(409) && answers.some((answer) => answer !== 409), `the answers are ${String(answers)}`);
  const lease = await coordination.readNamespacedLease({ name: 'leader', namespace });
  expect(answers.includes(lease.spec?.holderIdentity), `the Lease names ${lease.spec?.holderIdentity}`);
  expect(/\.\d{6}Z$/.test(String(lease.spec?.renewTime)), `renewTime is ${String(lease.spec?.renewTime)}`);
}

function deployment(name) {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'registry.invalid/main:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  return { metadata: { name }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
}
