import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePorts, type RunningServer } from '../../peers/index.ts';
import { apiServiceSteps } from './api-service-life.ts';
import { apiService, externalService, identity, READ, reading } from './extension-objects.ts';
import {
  expectText,
  Kubectl,
  Programs,
  programs,
  serverFlags,
  STEP_LIMIT_MS,
  waitUntil,
  whyMissing,
} from './extension-programs.ts';
import { tryMetricsServer } from './metrics-server.ts';
import { type ClientReport, runSteps } from './outcome.ts';

/** A real API server that is put behind the one that is tried. */
export interface ExtensionServer {
  readonly subject: string;
  readonly version: string;
  /** Why it cannot be tried here, in words to print. */
  whyNot(): string | undefined;
  run(server: RunningServer): Promise<ClientReport>;
}

/** All of them, in the order they run and are reported. */
export const extensionServers: readonly ExtensionServer[] = [
  {
    subject: 'sample-apiserver behind it',
    version: '0.36.3',
    whyNot: () => whyMissing(['sample-apiserver', 'etcd', 'kubectl']),
    run: trySampleServer,
  },
  {
    subject: 'metrics-server behind it',
    version: '0.9.0',
    whyNot: () => whyMissing(['metrics-server', 'kubectl']),
    run: tryMetricsServer,
  },
];

const GROUP = 'wardle.example.com';
const FLUNDER = {
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'Flunder',
  metadata: { name: 'my-first-flunder', namespace: 'default' },
};
const FISCHER = { apiVersion: `${GROUP}/v1alpha1`, kind: 'Fischer', metadata: { name: 'my-first-fischer' } };

/** The eight steps to an API of one's own, and what one does with it then. */
async function trySampleServer(server: RunningServer): Promise<ClientReport> {
  const kubectl = new Kubectl(server);
  const [port = 0, etcdPort = 0, peerPort = 0] = await freePorts(3);
  const paths = programs(['sample-apiserver', 'etcd']);
  await using started = new Programs(server);
  const registration = apiServiceSteps(kubectl, `v1alpha1.${GROUP}`, server.folder);
  const statusRead = 'status of the APIService, read and written';
  const changed = 'APIService patched, labelled, listed and replaced';
  const deleted = 'APIService deleted as one of a collection';
  const steps = {
    'namespace, account and roles': async () => {
      await kubectl.run('create namespace wardle');
      const rules = [
        { apiGroups: [''], resources: ['namespaces'], ...READ },
        { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], ...READ },
        { apiGroups: ['flowcontrol.apiserver.k8s.io'], resources: ['*'], ...READ },
      ];
      await kubectl.create([
        ...identity('wardle', 'apiserver'),
        ...reading({ name: 'apiserver', namespace: 'wardle' }, rules),
      ]);
    },
    'unavailable until it runs': async () => {
      const service = { namespace: 'wardle', name: 'api', port };
      await kubectl.create([
        externalService('wardle', 'api'),
        apiService({ group: GROUP, version: 'v1alpha1', service }),
      ]);
      await kubectl.run(`wait --for=condition=Available=False apiservice/v1alpha1.${GROUP} --timeout=60s`);
      const { stderr } = await kubectl.try('get --raw /apis/wardle.example.com/v1alpha1');
      expectText(stderr, 'the server is currently unable to handle the request');
    },
    'available when it runs': async () => {
      const etcd = `http://127.0.0.1:${etcdPort}`;
      const peer = `http://127.0.0.1:${peerPort}`;
      const folders = [`--data-dir=${join(server.folder, 'wardle-etcd')}`, '--log-level=warn'];
      const urls = [`--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`, `--listen-peer-urls=${peer}`];
      const cluster = [`--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`];
      started.start('wardle-etcd', paths.etcd, [...folders, ...urls, ...cluster]);
      const kubeconfig = await kubectl.kubeconfigOf('wardle', 'apiserver');
      const flags = serverFlags({ kubeconfig, port, folder: server.folder });
      started.start('wardle', paths['sample-apiserver'], [`--etcd-servers=${etcd}`, ...flags]);
      await kubectl.run(`wait --for=condition=Available apiservice/v1alpha1.${GROUP} --timeout=100s`);
    },
    create: () => kubectl.create([FLUNDER, FISCHER]),
    'get -o wide': async () => {
      expectText(await kubectl.run('get flunders -o wide'), 'my-first-flunder');
      expectText(await kubectl.run('get fischers'), 'my-first-fischer');
    },
    describe: async () => expectText(await kubectl.run('describe flunder my-first-flunder'), 'Kind:         Flunder'),
    'discovery and explain': async () => {
      expectText(await kubectl.run(`api-resources --api-group=${GROUP}`), 'flunders');
      await waitUntil(async () => (await kubectl.try('explain flunder.spec')).code === 0);
    },
    'server-side apply and patch': async () => {
      const file = join(server.folder, 'flunder.json');
      await writeFile(file, JSON.stringify({ ...FLUNDER, spec: { reference: 'other' } }));
      await kubectl.run(`apply --server-side -f ${file}`);
      await kubectl.run('label flunder my-first-flunder color=red');
      expectText(
        await kubectl.run('get flunder my-first-flunder -o jsonpath={.spec.reference}-{.metadata.labels.color}'),
        'other-red',
      );
    },
    [statusRead]: registration[statusRead],
    [changed]: registration[changed],
    'watch sees a deletion': async () => {
      const watching = kubectl.run('wait --for=delete flunder/my-first-flunder --timeout=60s');
      await kubectl.run('delete flunder my-first-flunder');
      await watching;
    },
    'anonymous is refused': async () => {
      const { status, text } = await anonymous(`${server.url}/apis/${GROUP}/v1alpha1/namespaces/default/flunders/x`);
      const message = `flunders.${GROUP} \\"x\\" is forbidden: User \\"system:anonymous\\" cannot get resource \\"flunders\\" in API group \\"${GROUP}\\" in the namespace \\"default\\"`;
      expectText(text, message);
      if (status !== 403) throw new Error(`got ${status}`);
    },
    'roles count for others': async () => {
      const { code } = await kubectl.try('get fischers --as=jane');
      if (code === 0) throw new Error('jane may read without a role');
      await kubectl.run('create clusterrole fischers --verb=get,list --resource=fischers.wardle.example.com');
      await kubectl.run('create clusterrolebinding fischers --clusterrole=fischers --user=jane');
      await waitUntil(async () => (await kubectl.try('get fischers --as=jane')).code === 0);
    },
    'delete a collection of flunders': async () => {
      await kubectl.create([FLUNDER]);
      await kubectl.run('delete flunders --all');
      expectText((await kubectl.try('get flunders')).stderr, 'No resources found');
      await kubectl.run('delete fischer my-first-fischer');
    },
    [deleted]: registration[deleted],
    'tear down': async () => {
      await kubectl.run('delete namespace wardle --wait=false');
      const { stderr } = await kubectl.try(`get --raw /apis/${GROUP}/v1alpha1`);
      expectText(stderr, 'NotFound');
    },
  };
  return { version: '0.36.3', outcomes: await runSteps(steps, STEP_LIMIT_MS) };
}

function anonymous(url: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.once('error', reject);
    asked.end();
  });
}
