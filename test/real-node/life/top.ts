import { join } from 'node:path';
import { Daemon, findPeers, freePorts } from '../../../peers/index.ts';
import { apiService, externalService, identity, READ, reading } from '../../interop/extension-objects.ts';
import { Kubectl, serverFlags } from '../../interop/extension-programs.ts';
import { authorityPath } from '../node-credentials.ts';
import { NAMESPACE, type NodeLife, type Trial } from './node-life.ts';

/** What the busy pod may use of a processor. */
const LIMIT_MILLICORES = 100;
const HELD_MEBIBYTES = 64;
const TOLERATED = 0.3;

/** metrics-server reads the node, and kubectl tells what the node and its pods use. */
export const top: Trial = {
  name: 'top',
  settings: () => ({}),
  async run(life) {
    const found = findPeers(['metrics-server', 'kubectl']);
    if (found.paths === undefined) {
      console.log(`top is left out: ${found.reason}`);
      return;
    }
    const { server } = life.cluster;
    const kubectl = new Kubectl(server);
    const [port = 0] = await freePorts(1);
    const account = { name: 'metrics-server', namespace: 'kube-system' };
    const rules = [
      { apiGroups: [''], resources: ['nodes', 'pods', 'nodes/metrics', 'namespaces', 'configmaps'], ...READ },
    ];
    await kubectl.create([
      ...identity(account.namespace, account.name),
      ...reading(account, rules),
      externalService(account.namespace, account.name),
      apiService({ group: 'metrics.k8s.io', version: 'v1beta1', service: { ...account, port } }),
    ]);
    const kubeconfig = await kubectl.kubeconfigOf(account.namespace, account.name);
    const flags = [
      ...serverFlags({ kubeconfig, port, folder: server.folder }),
      `--kubelet-certificate-authority=${authorityPath(server)}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--kubelet-use-node-status-port',
      '--kubelet-request-timeout=5s', // has to be less than the next one
      '--metric-resolution=10s',
    ];
    const logPath = join(server.folder, 'metrics-server.log');
    const daemon = new Daemon(found.paths['metrics-server'], flags, { logPath });
    try {
      await expectFigures(life, kubectl, daemon);
    } finally {
      await daemon.stop();
    }
  },
};

/** What kubectl tells of a pod that is limited, and of the node. */
async function expectFigures(life: NodeLife, kubectl: Kubectl, daemon: Daemon): Promise<void> {
  const resources = { requests: { cpu: '50m' }, limits: { cpu: `${LIMIT_MILLICORES}m`, memory: '128Mi' } };
  const script = `dd if=/dev/zero of=/data/held bs=1M count=${HELD_MEBIBYTES}; while true; do :; done`;
  await life.pod('busy', script, {
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1',
          command: ['sh', '-c', script],
          resources,
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }],
    },
  });
  await life.untilRunning('busy');
  await life.until(
    'metrics of the busy pod',
    async () => {
      const { code, stdout, stderr } = await kubectl.try(`top pods busy -n ${NAMESPACE} --no-headers`);
      if (code !== 0) return stderr;
      const [, cpu = '', memory = ''] = stdout.trim().split(/ +/);
      const isRight = isClose(cpu, LIMIT_MILLICORES) && isClose(memory, HELD_MEBIBYTES);
      return isRight ? undefined : `kubectl top says "${stdout.trim()}"`;
    },
    { daemons: [daemon] },
  );
  await life.until('metrics of the node', () => nodeProblem(life, kubectl), { daemons: [daemon] });
}

/** As the machine itself says: what is used cannot be less than what the busy pod uses, nor more than there is. */
async function nodeProblem({ client, cluster }: NodeLife, kubectl: Kubectl): Promise<string | undefined> {
  const line = (await kubectl.run('top nodes --no-headers')).trim();
  const [name, cpu = '', , memory = ''] = line.split(/ +/);
  const summary = JSON.parse(await client.text(`/api/v1/nodes/${cluster.node.name}/proxy/stats/summary`)) as {
    readonly node: { readonly memory: { readonly workingSetBytes: number } };
  };
  const used = summary.node.memory.workingSetBytes / 1024 ** 2;
  if (name !== cluster.node.name || !isClose(memory, used)) return `kubectl top says "${line}", the node ${used} MiB`;
  return Number.parseInt(cpu) >= LIMIT_MILLICORES * (1 - TOLERATED) ? undefined : `kubectl top says "${line}"`;
}

/** Whether a number with a unit is about this. */
function isClose(text: string, wanted: number): boolean {
  return Math.abs(Number.parseInt(text) - wanted) <= wanted * TOLERATED;
}
