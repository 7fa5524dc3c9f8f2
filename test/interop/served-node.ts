import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { CryptoRandom, LineLogger, RealClock } from '../../src/base/index.ts';
import { issueCredential } from '../../src/cluster/pki/issue-credential.ts';
import { connect } from '../../src/client/index.ts';
import { app } from '../../src/kit/index.ts';
import { NodeAccess, type NodeAgent, nodeAgents, NodeEndpoint, NodeServer } from '../../src/node/index.ts';
import { simulatedBackend } from '../../src/simulated/index.ts';
import type { ServerName } from './results.ts';

const NODE = 'keelson';
const HOST = '127.0.0.1';

/** A server with a simulated node: its own, or one of ours in this process that the real API server reaches over the network. */
export async function startWithNode(server: ServerName, bundle: string | undefined): Promise<RunningServer> {
  if (server !== 'kube') return startKeelson({ bundle, flags: ['--node-endpoints'] });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-streams-'));
  const file = (name: string): string => join(folder, 'pki', name);
  const kube = await startKube({
    folder,
    parts: ['kube-controller-manager', 'kube-scheduler'],
    apiserverFlags: [
      `--kubelet-client-certificate=${file('admin.crt')}`,
      `--kubelet-client-key=${file('admin.key')}`,
      `--kubelet-certificate-authority=${file('ca.crt')}`,
      '--kubelet-preferred-address-types=InternalIP', // its name is not resolvable
    ],
  });
  const node = await startNode(kube).catch(async (error: unknown) => {
    await kube.stop();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await node[Symbol.asyncDispose]();
    await kube.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...kube, stop, [Symbol.asyncDispose]: stop };
}

/** A simulated node with a port, which asks the API server who may use it. */
async function startNode({ kubeconfig, folder }: RunningServer): Promise<AsyncDisposable> {
  const [clock, random] = [new RealClock(), new CryptoRandom()];
  const log = new LineLogger({ clock, level: 'warn', write: (line) => process.stderr.write(line) });
  const read = (name: string): Promise<string> => readFile(join(folder, 'pki', name), 'utf8');
  const authority = { certificate: await read('ca.crt'), privateKey: await read('ca.key') };
  const subject = { commonName: `system:node:${NODE}`, organizations: ['system:nodes'] };
  const issued = issueCredential({ subject, usage: 'server', names: [NODE, HOST] }, authority, { clock, random });
  const certificate = { certificate: issued.certificate, key: issued.privateKey };
  const endpoint = await NodeEndpoint.open({ host: HOST, certificate, clientAuthorities: authority.certificate });
  const client = await connect({ kubeconfig, userAgent: 'kubelet', log, onWarning: () => undefined });
  let server: NodeServer | undefined;
  const onAgent = ({ served }: NodeAgent): void => {
    server = new NodeServer(served, log);
    endpoint.serve(server, new NodeAccess({ node: NODE, client, clock, log }));
  };
  const stop = new AbortController();
  const parts = [
    nodeAgents({
      backend: simulatedBackend(),
      names: [NODE],
      addresses: () => [HOST],
      port: () => endpoint.port,
      onAgent,
    }),
  ];
  const running = app('kubelet', parts).run(client, stop.signal);
  running.catch((error: unknown) => log.error('the node failed', { error }));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running.catch(() => undefined); // it was logged when it happened
      server?.[Symbol.dispose]();
      endpoint[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}
