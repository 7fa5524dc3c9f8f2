// Nodes as a kubelet would maintain them, but updated by the test.
import { formatMicroTime, formatTime, instantOfMillis } from '../../api/client.ts';
import type { Node, Taint } from '../../api/types/core/v1.d.ts';
import { type Client, mergePatch, type Stored, strategicPatch } from '../../client/index.ts';

const conditionTypes = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];

/** Creates a ready node with its lease. */
export async function createNode(client: Client, name: string, labels: Record<string, string> = {}): Promise<void> {
  await client.core.v1.nodes.create({ metadata: { name, labels } });
  await postStatus(client, name, 'True');
  const leases = client.coordination.v1.leases.namespace('kube-node-lease');
  await leases.create({ metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
  await renewLease(client, name);
}

/** Posts the node's status, as its kubelet would. */
export async function postStatus(client: Client, name: string, ready: 'True' | 'False'): Promise<void> {
  const { nodes } = client.core.v1;
  const node = await nodes.get(name);
  const now = formatTime(instantOfMillis(client.clock.now()));
  const conditions = conditionTypes.map((type) => {
    const status = type === 'Ready' ? ready : 'False';
    const known = node.status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
    return { type, status, reason: 'Test', message: 'by hand', lastHeartbeatTime: now, lastTransitionTime };
  });
  await nodes.status.patch(name, strategicPatch({ status: { conditions } }));
}

export async function renewLease(client: Client, name: string): Promise<void> {
  const renewTime = formatMicroTime(instantOfMillis(client.clock.now()));
  const leases = client.coordination.v1.leases.namespace('kube-node-lease');
  await leases.patch(name, mergePatch({ spec: { renewTime } }));
}

/** The node's taints, as `key:effect` without the common prefix. */
export async function taintsOf(client: Client, name: string): Promise<string[]> {
  const { spec }: Stored<Node> = await client.core.v1.nodes.get(name);
  const text = ({ key, effect }: Taint): string => `${key.replace('node.kubernetes.io/', '')}:${effect}`;
  return (spec?.taints ?? []).map(text);
}
