import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon, findPeer, freePorts, type RunningServer, startKeelson } from '../../peers/index.ts';
import { CertificateSigningRequest, type Client, connect } from '../../src/client/index.ts';
import { KUBERNETES_VERSION } from '../../src/cluster/index.ts';
import { LOOK_IMAGE, makeImage, PAUSE_IMAGE } from './kubelet-image.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import { build, type Ended, runCommand, whyMissing } from './toolchain.ts';
import { eventually, type Trial } from './trial.ts';

export const NODE = 'real-1';
const TOKEN = { id: 'abcdef', secret: '0123456789abcdef' };
const STEP_LIMIT_MS = 90_000;

/** The real kubelet on containerd: it joins with a bootstrap token, renews its certificates and runs a pod that uses its token. */
export const kubeletTrial: Trial = { subject: 'kubelet', version: KUBERNETES_VERSION, whyNot, try: tryKubelet };

function whyNot(server: string): string | undefined {
  return server === 'kube' ? 'it is tried on ours only' : whyNoKubelet();
}

/** Why no kubelet can run here, in words to print. */
export function whyNoKubelet(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  return (
    findPeer('kubelet').reason ??
    whyMissing('containerd') ??
    whyMissing('runc') ??
    whyMissing('ctr') ??
    whyMissing('go', ['version']) ??
    whyMissing('kubectl', ['version', '--client'])
  );
}

async function tryKubelet(_server: string, { bundle }: { readonly bundle: string | undefined }): Promise<ClientReport> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-kubelet-'));
  try {
    // Certificates of a minute, backdated by five, are renewed at once.
    const flags = [
      '--nodes=0',
      '--enable-bootstrap-token-auth',
      '--cluster-signing-duration=1m',
      '--kubelet-preferred-address-types=InternalIP', // its name is not resolvable
    ];
    await using server = await startKeelson({ bundle, folder: join(folder, 'server'), flags });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
    await using _kubelet = await joinKubelet(folder, server, client);
    const outcomes = await runSteps(steps(client, { folder, server }), STEP_LIMIT_MS);
    return { version: KUBERNETES_VERSION, outcomes };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A kubelet on containerd that joins the server, which needs bootstrap tokens. All it keeps is in the folder. */
export async function joinKubelet(folder: string, server: RunningServer, client: Client): Promise<AsyncDisposable> {
  const daemons: Daemon[] = [];
  const stop = async (): Promise<void> => {
    const [runtime, kubelet] = daemons;
    await kubelet?.stop();
    if (runtime !== undefined) await endTasks(folder);
    await runtime?.stop();
    await unmount(folder);
  };
  try {
    daemons.push(await startRuntime(folder));
    await allowBootstrap(client);
    daemons.push(await startKubelet(folder, server));
    return { [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Volumes of pods stay mounted when a kubelet ends; the innermost have to go first. */
async function unmount(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).reverse())
    await runCommand(['umount', '-l', mount], { cwd: '/', limitMs: 10_000 });
}

function steps(client: Client, { folder, server }: { readonly folder: string; readonly server: RunningServer }) {
  const requests = client.kind(CertificateSigningRequest);
  return {
    'join with a bootstrap token': (signal: AbortSignal) =>
      eventually(signal, async () => {
        const { status } = await client.core.v1.nodes.get(NODE, { signal });
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        if (ready?.status !== 'True') throw new Error(`the node is not ready: ${JSON.stringify(ready)}`);
      }),
    'serving certificate after approval': (signal: AbortSignal) =>
      eventually(signal, async () => {
        const { items } = await requests.list({ signal });
        const serving = items.find(({ spec }) => spec.signerName === 'kubernetes.io/kubelet-serving');
        if (serving === undefined) throw new Error('the kubelet has not asked for a serving certificate');
        if ((serving.status?.certificate ?? '') !== '') return;
        const conditions = [{ type: 'Approved', status: 'True', reason: 'Interop', message: 'tried' }];
        await requests
          .subresource<CertificateSigningRequest>('approval')
          .update({ ...serving, status: { conditions } }, { signal });
        throw new Error('the serving certificate is not signed');
      }),
    'renewal of the client certificate': (signal: AbortSignal) =>
      eventually(signal, async () => {
        const files = await readdir(join(folder, 'pki'));
        const certificates = files.filter((name) => /^kubelet-client-\d/.test(name));
        if (certificates.length < 2) throw new Error(`it has ${files.join(', ')}`);
        const { items } = await requests.list({ signal });
        const isRenewed = items.some(
          ({ spec, status }) => spec.username === `system:node:${NODE}` && status?.certificate,
        );
        if (!isRenewed) throw new Error('no request of the node itself was signed');
      }),
    'a pod with its projected token': async (signal: AbortSignal) => {
      const pods = client.core.v1.pods.namespace('default');
      const environment = { API_URL: server.url, WANTED: 'system:serviceaccount:default:default' };
      await pods.create({
        metadata: { name: 'look' },
        spec: {
          nodeName: NODE,
          hostNetwork: true,
          restartPolicy: 'Never',
          containers: [
            {
              name: 'look',
              image: LOOK_IMAGE,
              imagePullPolicy: 'Never',
              args: ['whoami'],
              env: Object.entries(environment).map(([name, value]) => ({ name, value })),
            },
          ],
        },
      });
      await eventually(signal, async () => {
        const { status } = await pods.get('look', { signal });
        if (status?.phase !== 'Succeeded') throw new Error(`the pod is ${JSON.stringify(status)}`);
      });
      await pods.delete('look', { signal });
      await eventually(signal, async () => {
        const { items } = await pods.list({ signal });
        if (items.length > 0) throw new Error('the pod is not gone');
      });
    },
    'its logs and commands, over WebSocket and SPDY': async (signal: AbortSignal) => {
      const containers = [{ name: 'wait', image: LOOK_IMAGE, imagePullPolicy: 'Never' as const }];
      const spec = { nodeName: NODE, hostNetwork: true, terminationGracePeriodSeconds: 0, containers };
      await client.core.v1.pods.namespace('default').create({ metadata: { name: 'wait' }, spec });
      const kubectl = (args: readonly string[], isWebSocket = true): Promise<Ended> =>
        runCommand(['kubectl', `--kubeconfig=${server.kubeconfig}`, ...args], {
          cwd: folder,
          environment: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(isWebSocket) },
          limitMs: 30_000,
        });
      await eventually(signal, async () => {
        const { stdout, stderr } = await kubectl(['logs', 'wait']);
        if (stdout !== 'waiting\n') throw new Error(`its log is ${JSON.stringify(stdout + stderr)}`);
      });
      for (const isWebSocket of [true, false]) {
        const { code, stdout, stderr } = await kubectl(['exec', 'wait', '--', '/look', 'say', 'hello'], isWebSocket);
        if (code !== 3 || stdout !== 'hello\n') throw new Error(`the command ended with ${code}: ${stdout + stderr}`);
      }
      await client.core.v1.pods.namespace('default').delete('wait', { signal });
    },
  };
}

async function startRuntime(folder: string): Promise<Daemon> {
  const image = await makeImage(folder);
  const socket = join(folder, 'containerd.sock');
  await mkdir(join(folder, 'cni'), { recursive: true });
  const network = { cniVersion: '0.4.0', name: 'lo', plugins: [{ type: 'loopback' }] };
  await writeFile(join(folder, 'cni', '10-lo.conflist'), JSON.stringify(network));
  const config = `version = 2
root = "${folder}/containerd"
state = "${folder}/containerd-state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  sandbox_image = "${PAUSE_IMAGE}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
`;
  await writeFile(join(folder, 'containerd.toml'), config);
  const runtime = new Daemon('containerd', ['--config', join(folder, 'containerd.toml')], {
    logPath: join(folder, 'containerd.log'),
  });
  const load = ['ctr', '-a', socket, '-n', 'k8s.io', 'images', 'import', '--snapshotter', 'native', image];
  await eventually(AbortSignal.timeout(30_000), () => build(load, { cwd: folder, limitMs: 30_000 }));
  return runtime;
}

/** Containers outlive containerd. */
async function endTasks(folder: string): Promise<void> {
  const ctr = ['ctr', '-a', join(folder, 'containerd.sock'), '-n', 'k8s.io', 'tasks'];
  const { stdout } = await runCommand([...ctr, 'ls', '-q'], { cwd: folder, limitMs: 10_000 });
  for (const task of stdout.split('\n').filter((name) => name !== ''))
    await runCommand([...ctr, 'rm', '-f', task], { cwd: folder, limitMs: 10_000 });
}

async function startKubelet(folder: string, { url, folder: serverFolder }: RunningServer): Promise<Daemon> {
  const found = findPeer('kubelet');
  if (found.path === undefined) throw new Error(found.reason);
  const authority = join(serverFolder, 'pki', 'ca.crt');
  const [port, healthzPort] = await freePorts(2);
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    rotateCertificates: true,
    serverTLSBootstrap: true,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: authority } },
    authorization: { mode: 'Webhook' },
    evictionHard: { 'memory.available': '1Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    port,
    healthzPort,
    podLogsDir: join(folder, 'pod-logs'),
    volumePluginDir: join(folder, 'volume-plugins'),
  };
  await writeFile(join(folder, 'kubelet.json'), JSON.stringify(config));
  const bootstrap = {
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': authority } }],
    users: [{ name: 'u', user: { token: `${TOKEN.id}.${TOKEN.secret}` } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  await writeFile(join(folder, 'bootstrap.json'), JSON.stringify(bootstrap), { mode: 0o600 });
  const flags = [
    `--config=${join(folder, 'kubelet.json')}`,
    `--bootstrap-kubeconfig=${join(folder, 'bootstrap.json')}`,
    `--kubeconfig=${join(folder, 'kubelet.kubeconfig')}`,
    `--cert-dir=${join(folder, 'pki')}`,
    `--root-dir=${join(folder, 'kubelet')}`,
    `--hostname-override=${NODE}`,
  ];
  return new Daemon(found.path, flags, { logPath: join(folder, 'kubelet.log') });
}

/** What kubeadm sets up for nodes that join. */
async function allowBootstrap(client: Client): Promise<void> {
  await client.core.v1.secrets.namespace('kube-system').create({
    metadata: { name: `bootstrap-token-${TOKEN.id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': TOKEN.id, 'token-secret': TOKEN.secret, 'usage-bootstrap-authentication': 'true' },
  });
  const apiGroup = 'rbac.authorization.k8s.io';
  const prefix = 'system:certificates.k8s.io:certificatesigningrequests';
  for (const [name, role, group] of [
    ['bootstrap', 'system:node-bootstrapper', 'system:bootstrappers'],
    ['approve', `${prefix}:nodeclient`, 'system:bootstrappers'],
    ['renew', `${prefix}:selfnodeclient`, 'system:nodes'],
  ] as const) {
    await client.rbac.v1.clusterrolebindings.create({
      metadata: { name: `interop-${name}` },
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup, kind: 'Group', name: group }],
    });
  }
}
