import { join } from 'node:path';
import { freePorts, type RunningServer } from '../../peers/index.ts';
import { apiService, externalService, identity, READ, reading } from './extension-objects.ts';
import { expectText, Kubectl, Programs, programs, serverFlags, STEP_LIMIT_MS } from './extension-programs.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import { eventually } from './trial.ts';

/** Half of what the container asks for, and a node's own on top of that. */
const POD_USE = { cpu: 250, memory: 512 };
const NODE_USE = { cpu: 350, memory: 768 };
/** Rates are found out from two readings of a clock. */
const TOLERATED_MILLICORES = 5;

/** metrics-server as it is usually registered, which reads the port of a simulated node. */
export async function tryMetricsServer(server: RunningServer): Promise<ClientReport> {
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
      started.start('metrics-server', program, [
        ...flags,
        `--kubelet-certificate-authority=${join(server.folder, 'pki', 'ca.crt')}`,
        '--kubelet-preferred-address-types=InternalDNS,InternalIP',
        '--kubelet-use-node-status-port',
        '--kubelet-request-timeout=5s',
        '--metric-resolution=10s',
      ]);
      await kubectl.run('wait --for=condition=Available apiservice/v1beta1.metrics.k8s.io --timeout=100s');
    },
    discovery: async () => expectText(await kubectl.run('api-resources --api-group=metrics.k8s.io'), 'NodeMetrics'),
    list: async () => expectText(await kubectl.run('get --raw /apis/metrics.k8s.io/v1beta1/nodes'), 'NodeMetricsList'),
    'kubectl top pods': async (signal: AbortSignal) => {
      const requests = { cpu: '500m', memory: '1Gi' };
      const spec = { containers: [{ name: 'main', image: 'registry.invalid/main:1', resources: { requests } }] };
      await kubectl.create([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'busy', namespace: 'default' }, spec }]);
      await eventually(signal, async () => expectUse(await kubectl.run('top pods busy --no-headers'), POD_USE));
    },
    'kubectl top nodes': (signal: AbortSignal) =>
      eventually(signal, async () => {
        const [name, cpu, , memory] = (await kubectl.run('top nodes --no-headers')).trim().split(/ +/);
        expectUse(`${name} ${cpu} ${memory}`, NODE_USE);
      }),
  };
  return { version: '0.9.0', outcomes: await runSteps(steps, STEP_LIMIT_MS) };
}

/** A line with a name, millicores and mebibytes. */
function expectUse(line: string, wanted: typeof POD_USE): void {
  const [, cpu = '', memory = ''] = line.trim().split(/ +/);
  const isClose = Math.abs(Number(cpu.replace(/m$/, '')) - wanted.cpu) <= TOLERATED_MILLICORES;
  if (!isClose || memory !== `${wanted.memory}Mi`) throw new Error(`it reports "${line.trim()}"`);
}
