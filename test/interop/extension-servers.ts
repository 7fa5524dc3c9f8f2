import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Daemon, findPeers, freePorts, type RunningServer } from '../../peers/index.ts';
import { apiService, externalService, identity, reading } from './extension-objects.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import { type Ended, runCommand } from './toolchain.ts';

/** A real API server that is put behind the one that is tried. */
export interface ExtensionServer {
  readonly subject: string;
  readonly version: string;
  /** Why it cannot be tried here, in words to print. */
  whyNot(): string | undefined;
  run(server: RunningServer): Promise<ClientReport>;
}

const STEP_LIMIT_MS = 120_000;

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

function whyMissing(names: readonly string[]): string | undefined {
  const found = findPeers(names);
  return found.paths === undefined ? found.reason : undefined;
}

/** The programs, by their names in the catalog. */
function programs<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const { paths, reason } = { reason: '', ...findPeers(names) };
  if (paths === undefined) throw new Error(reason);
  return paths;
}

/** Programs beside the server, which end with it. */
class Programs implements AsyncDisposable {
  readonly #folder: string;
  readonly #daemons: Daemon[] = [];

  constructor({ folder }: RunningServer) {
    this.#folder = folder;
  }

  start(name: string, program: string, flags: readonly string[]): void {
    this.#daemons.push(new Daemon(program, flags, { logPath: join(this.#folder, `${name}.log`) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.stop()));
  }
}

/** kubectl on one server. */
class Kubectl {
  readonly #program: string;
  readonly #server: RunningServer;

  constructor(server: RunningServer) {
    this.#program = programs(['kubectl']).kubectl;
    this.#server = server;
  }

  /** What it prints; rejects when it fails. */
  async run(args: string): Promise<string> {
    const { code, stdout, stderr } = await this.try(args);
    if (code !== 0) throw new Error(`kubectl ${args}: ${stderr}`);
    return stdout;
  }

  try(args: string): Promise<Ended> {
    return runCommand([this.#program, ...args.split(' ')], {
      cwd: this.#server.folder,
      environment: { KUBECONFIG: this.#server.kubeconfig },
      limitMs: STEP_LIMIT_MS,
    });
  }

  async create(objects: readonly object[]): Promise<void> {
    const file = join(this.#server.folder, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await this.run(`create -f ${file}`);
  }

  /** A kubeconfig with which a program in this machine is the service account. */
  async kubeconfigOf(namespace: string, account: string): Promise<string> {
    const config = load(await readFile(this.#server.kubeconfig, 'utf8')) as { users: { user: object }[] };
    const token = await this.run(`create token ${account} -n ${namespace}`);
    for (const entry of config.users) entry.user = { token: token.trim() };
    const file = join(this.#server.folder, `${account}.kubeconfig`);
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }
}

const READ = { verbs: ['get', 'list', 'watch'] };
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
    'tear down': async () => {
      await kubectl.run('delete fischer my-first-fischer');
      await kubectl.run(`delete apiservice v1alpha1.${GROUP}`);
      await kubectl.run('delete namespace wardle --wait=false');
      const { stderr } = await kubectl.try(`get --raw /apis/${GROUP}/v1alpha1`);
      expectText(stderr, 'NotFound');
    },
  };
  return { version: '0.36.3', outcomes: await runSteps(steps, STEP_LIMIT_MS) };
}

/** metrics-server as it is usually registered; nodes that it could ask are another matter. */
async function tryMetricsServer(server: RunningServer): Promise<ClientReport> {
  const kubectl = new Kubectl(server);
  const [port = 0] = await freePorts(1);
  await using started = new Programs(server);
  const steps = {
    'registered and available': async () => {
      const account = { name: 'metrics-server', namespace: 'kube-system' };
      const rules = [
        { apiGroups: [''], resources: ['nodes', 'pods', 'nodes/metrics', 'namespaces', 'configmaps'], ...READ },
      ];
      const service = { namespace: 'kube-system', name: 'metrics-server', port };
      await kubectl.create([
        ...identity('kube-system', 'metrics-server'),
        ...reading(account, rules),
        externalService('kube-system', 'metrics-server'),
        apiService({ group: 'metrics.k8s.io', version: 'v1beta1', service }),
      ]);
      const kubeconfig = await kubectl.kubeconfigOf('kube-system', 'metrics-server');
      const flags = serverFlags({ kubeconfig, port, folder: server.folder });
      const { 'metrics-server': program } = programs(['metrics-server']);
      started.start('metrics-server', program, [...flags, '--kubelet-insecure-tls']);
      await kubectl.run('wait --for=condition=Available apiservice/v1beta1.metrics.k8s.io --timeout=100s');
    },
    discovery: async () => expectText(await kubectl.run('api-resources --api-group=metrics.k8s.io'), 'NodeMetrics'),
    list: async () => expectText(await kubectl.run('get --raw /apis/metrics.k8s.io/v1beta1/nodes'), 'NodeMetricsList'),
    'kubectl top asks it': async () => {
      const { stdout, stderr } = await kubectl.try('top nodes');
      if (!/metrics not available yet|CPU/.test(stdout + stderr)) throw new Error(stdout + stderr);
    },
  };
  return { version: '0.9.0', outcomes: await runSteps(steps, STEP_LIMIT_MS) };
}

function serverFlags({
  kubeconfig,
  port,
  folder,
}: {
  readonly kubeconfig: string;
  readonly port: number;
  readonly folder: string;
}): string[] {
  const identities = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const own = [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(folder, `certs-${port}`)}`];
  return [...own, ...identities.map((flag) => `--${flag}=${kubeconfig}`)];
}

function expectText(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(`"${wanted}" is not in "${text}"`);
}

/** Asks again and again; the step's own limit ends it. */
async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 60; left > 0; left--) if (await isSo()) return;
  throw new Error('it did not come to be so');
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
