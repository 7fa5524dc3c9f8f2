// Operators that are deployed like anywhere else, and run as processes of this machine.
import { build } from 'esbuild';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Book, library, Loan } from '../../examples/library/library.ts';
import { parseRuntimeConfig } from '../../src/api/index.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { findTool } from '../../src/base/testing/find-tool.ts';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { appObjects } from '../../src/cli/manifests/app-objects.ts';
import { objectFiles } from '../../src/cli/manifests/deployment-files.ts';
import type { Client, KubernetesObject } from '../../src/client/index.ts';
import { type Cluster, kubeconfigText, launchCluster } from '../../src/cluster/index.ts';
import { readImageCommands } from '../../src/processes/index.ts';
import { canEnterNamespaces } from '../../src/processes/mount-namespace.ts';
import { Kubectl } from '../support/kubectl.ts';

const ADMIN = { user: 'kubernetes-admin', groups: ['system:masters'] };
const PATIENCE = { timeout: 120_000, interval: 100 };
const root = join(import.meta.dirname, '..', '..');
const folder = await mkdtemp(join(tmpdir(), 'keelson-deployed-'));
const hasNamespaces = await canEnterNamespaces(folder);
const kubectlFile = findTool('kubectl');
const python = await findPython();
afterAll(() => rm(folder, { recursive: true }));

async function findPython(): Promise<string | undefined> {
  const { findProgram } = await import('../../src/processes/launcher.ts');
  return findProgram('python3', { path: process.env['PATH'] ?? '', folder: '/' });
}

beforeAll(async () => {
  await build({
    entryPoints: [join(root, 'examples', 'library', 'main.ts')],
    outfile: join(folder, 'library.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'error',
  });
});

/** Without namespaces, a variable tells the program where its account is. */
function imagesFile(mountsVolumes: boolean): string {
  const account = '$(KEELSON_MOUNT_ROOT)/var/run/secrets/kubernetes.io/serviceaccount';
  return `apiVersion: keelson.dev/v1
kind: RunImages
images:
  - image: library
    command: [node, library.mjs]
    args: ['0', certificates]
  - image: example.dev/watcher:*
    command: [python3, ${JSON.stringify(join(root, 'test', 'processes', 'watcher.py'))}]
    env: ${mountsVolumes ? '{}' : `{ ACCOUNT: ${account} }`}
`;
}

function start(mountsVolumes: boolean, signal: AbortSignal): Promise<Cluster> {
  const commands = readImageCommands(imagesFile(mountsVolumes), join(folder, 'images.yaml'));
  return launchCluster({
    name: 'deployed',
    storage: { type: 'memory' },
    serving: { listen: { host: '127.0.0.1', port: 0 } },
    serviceCidrs: ['10.96.0.0/16'],
    runtimeConfig: parseRuntimeConfig(),
    runImages: { commands, folder: join(folder, 'run'), mountsVolumes },
    clock: new RealClock(),
    random: new CryptoRandom(),
    log: discardLogger,
    signal,
  });
}

async function apply(client: Client, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) {
    const served = await client.apis.find(object.apiVersion ?? '', object.kind ?? '');
    if (served === undefined) throw new Error(`there is no ${object.kind}`);
    await client.kindIn(served, object.metadata?.namespace).apply(object, { fieldManager: 'test', force: true });
  }
}

const SETTINGS = {
  name: 'library',
  namespace: 'library-system',
  image: 'library:1.0.0',
  replicas: 1,
  version: '1.0.0',
  description: '',
  entry: [],
};

describe.each([
  ['at their paths', true],
  ['in a folder', false],
])('with volumes %s', (_where, mountsVolumes) => {
  const skipped = skipWhen(mountsVolumes && !hasNamespaces, 'no unprivileged user namespaces here');
  const stop = new AbortController();
  let cluster: Cluster;
  let client: Client;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await start(mountsVolumes, stop.signal);
    client = cluster.plane.client(ADMIN);
    const kubeconfig = join(folder, `kubeconfig-${mountsVolumes}`);
    await writeFile(kubeconfig, kubeconfigText(cluster.plane.access));
    kubectl = new Kubectl(kubectlFile ?? 'kubectl', kubeconfig);
    await cluster.nodesReady(stop.signal);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
    stop.abort();
  });

  const podsOf = async (namespace: string) => (await client.core.v1.pods.namespace(namespace).list()).items;
  const isReady = async (namespace: string): Promise<boolean> => {
    const pods = await podsOf(namespace);
    return pods.some(({ status }) => status?.containerStatuses?.every(({ ready }) => ready) === true);
  };

  test('an operator of the kit reconciles, and its webhooks and its API are called', skipped, async () => {
    const objects = appObjects(library(), SETTINGS);
    await apply(client, [...objects.namespace, ...objects.definitions, ...objects.access, ...objects.deployment]);
    await expect.poll(() => isReady('library-system'), PATIENCE).toBe(true);
    const loans = client.kind(Loan).namespace('default');
    const loan = { metadata: { name: 'moby' }, spec: { book: 'Moby Dick', reader: 'ada' } };
    const tried = { dryRun: true }; // until the webhooks are registered, a loan would be stored as it was sent
    await expect.poll(() => loans.create(loan, tried).then((made) => made.spec.days, String), PATIENCE).toBe(28);
    await loans.create(loan);
    await expect.poll(async () => (await loans.get('moby')).status?.slip, PATIENCE).toBe('slip-moby');
    const long = { metadata: { name: 'ulysses' }, spec: { book: 'Ulysses', reader: 'ada', days: 400 } };
    const refused = expect.stringContaining('a book is lent for 90 days at most');
    await expect.poll(() => loans.create(long, tried).then(() => 'taken', String), PATIENCE).toEqual(refused);
    const older = await client.dynamic('library.example.dev/v1beta1', 'Loan');
    expect(await older.namespace('default').get('moby')).toMatchObject({ spec: { borrower: 'ada' } });
    const books = client.kind(Book).namespace('default');
    const book = { metadata: { name: 'moby-dick' }, spec: { shelf: 'M' } };
    await expect.poll(() => books.create(book).then(({ spec }) => spec.shelf, String), PATIENCE).toBe('M');
    const [pod] = await podsOf('library-system');
    expect(pod?.status?.containerStatuses?.[0]?.containerID).toMatch(/^process:\/\//);
    expect(objectFiles({ ...objects, registrations: [] }).map(({ path }) => path)).toContain('3-deployment.yaml');
  });

  const needsPython = skipWhen(python === undefined || (mountsVolumes && !hasNamespaces), 'no python3 here');
  test(
    'an operator in Python works with the account in its pod; kubectl sees its logs, commands and end',
    needsPython,
    async () => {
      const metadata = { name: 'watcher', namespace: 'default' };
      const labels = { app: 'watcher' };
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'patch'] }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'watcher' };
      const container = {
        name: 'watcher',
        image: 'example.dev/watcher:1',
        command: ['/not/on/this/machine'],
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
        volumeMounts: [{ name: 'settings', mountPath: '/etc/watcher' }],
      };
      await apply(client, [
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules } as KubernetesObject,
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata,
          roleRef,
          subjects: [{ kind: 'ServiceAccount', name: 'watcher' }],
        } as KubernetesObject,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { greet: 'Ada' } } as KubernetesObject,
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata,
          spec: {
            replicas: 2,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                serviceAccountName: 'watcher',
                terminationGracePeriodSeconds: 5,
                volumes: [{ name: 'settings', configMap: { name: 'watcher' } }],
                containers: [container, { name: 'proxy', image: 'example.dev/proxy:1' }],
              },
            },
          },
        } as KubernetesObject,
      ]);
      const ready = async (): Promise<number> =>
        (await client.apps.v1.deployments.namespace('default').get('watcher')).status?.readyReplicas ?? 0;
      await expect.poll(ready, PATIENCE).toBe(2);
      const maps = client.core.v1.configmaps.namespace('default');
      await expect.poll(async () => (await maps.get('watcher')).data?.['greeting'], PATIENCE).toBe('hello Ada');

      const [pod] = (await podsOf('default')).filter((each) => each.metadata.labels?.['app'] === 'watcher');
      const { name } = pod?.metadata ?? { name: '' };
      if (kubectlFile !== undefined) {
        const logs = await kubectl.run(['logs', name, '-c', 'watcher']);
        expect(logs.stdout).toContain('watching /api/v1/namespaces/default/configmaps');
        const script = 'cat "$KEELSON_MOUNT_ROOT/etc/watcher/greet"; hostname; exit 3';
        const exec = await kubectl.run(['exec', name, '-c', 'watcher', '--', 'sh', '-c', script]);
        expect(exec.stdout).toMatch(mountsVolumes ? `Ada${name}` : /^Ada/);
        expect(exec.code).toBe(3);
        const health = await kubectl.run(['get', '--raw', `/api/v1/namespaces/default/pods/${name}:8080/proxy/`]);
        expect(health.stdout).toBe('well\n');
      }
      await client.apps.v1.deployments.namespace('default').delete('watcher');
      await expect.poll(async () => (await podsOf('default')).length, PATIENCE).toBe(0);
    },
  );
});
