import { join } from 'node:path';
import { type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { NODE_ADDRESS } from './enter-script.ts';
import { room } from './namespaces.ts';
import type { AgentName } from './node-agent.ts';
import { type RealNode, startRealNode } from './real-node.ts';

export interface RealClusterOptions {
  /** Keelson, or kube-apiserver with etcd, controllers and scheduler. */
  readonly controlPlane: 'keelson' | 'kube';
  readonly agent: AgentName;
  /** The keelson.js to start; default `dist/keelson.js` of the current folder. */
  readonly bundle?: string;
  /** Flags of `keelson up` or kube-apiserver on top of ours. */
  readonly serverFlags?: readonly string[];
  readonly print: (line: string) => void;
}

/** A control plane and a node. */
export interface RealCluster extends AsyncDisposable {
  readonly server: RunningServer;
  readonly node: RealNode;
}

/** Starts a control plane and a real node in the namespaces that runInNamespaces() has made; ends both in reverse order. */
export async function startRealCluster(options: RealClusterOptions): Promise<RealCluster> {
  const server = await startControlPlane(options);
  try {
    const node = await startRealNode(server, options);
    const stop = async (): Promise<void> => {
      await node[Symbol.asyncDispose]();
      await server.stop();
    };
    return { server, node, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function startControlPlane({ controlPlane, bundle, serverFlags = [] }: RealClusterOptions): Promise<RunningServer> {
  const folder = join(room(), 'server');
  const reach = [
    '--bind-address=0.0.0.0',
    `--advertise-address=${NODE_ADDRESS}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--enable-admission-plugins=NodeRestriction',
  ];
  if (controlPlane === 'kube') {
    const keys = join(folder, 'pki');
    const client = [`--kubelet-client-certificate=${keys}/admin.crt`, `--kubelet-client-key=${keys}/admin.key`];
    return startKube({
      folder,
      parts: ['kube-controller-manager', 'kube-scheduler'],
      apiserverFlags: [...reach, ...client, ...serverFlags],
      servingNames: ['kubernetes.default.svc.cluster.local', NODE_ADDRESS], // the issuer of tokens, and what it redirects to
    });
  }
  return startKeelson({ folder, bundle, flags: ['--nodes=0', '--simulated-storage=false', ...reach, ...serverFlags] });
}
