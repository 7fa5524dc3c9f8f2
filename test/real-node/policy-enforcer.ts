import { join } from 'node:path';
import type { NodeLayout, PartCommand } from './node-layout.ts';
import { keelsonCommand, type NodeProgram, type NodeSurroundings } from './node-program.ts';

export type EnforcerName = 'keelson' | 'none';

/** What enforces NetworkPolicies on a node, by the name that `--policy` takes. */
export const policyEnforcers: Readonly<Record<EnforcerName, NodeProgram | undefined>> = {
  keelson: {
    peers: [],
    prepare: prepareKeelson,
    rules: { tables: ['keelson-policies'], cleanup: ['network-policy', '--cleanup'] },
  },
  none: undefined,
};

async function prepareKeelson({ folder, name }: NodeLayout, around: NodeSurroundings): Promise<PartCommand> {
  const kubeconfig = join(folder, 'policy.kubeconfig');
  await around.credentials.writeKubeconfig(kubeconfig, { name: 'network-policy', groups: ['system:masters'] });
  return keelsonCommand(around, 'network-policy', `--kubeconfig=${kubeconfig}`, `--hostname-override=${name}`);
}
