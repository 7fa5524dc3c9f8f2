import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../api/types/networking/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import type { PeerStatement, PolicyStatement, PortStatement, RuleStatement } from './policy-statement.ts';

/** What a NetworkPolicy says. */
export function networkPolicyStatement(policy: DeepReadonly<NetworkPolicy>): PolicyStatement {
  const { metadata = {}, spec = {} } = policy;
  const { namespace = '' } = metadata;
  const { podSelector = {}, ingress = [], egress = [] } = spec;
  const types = spec.policyTypes ?? (egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']);
  return {
    key: keyOf(policy),
    subject: { namespace, podSelector },
    ...(types.includes('Ingress') ? { ingress: ingress.map(({ from, ports }) => ruleOf(from, ports, namespace)) } : {}),
    ...(types.includes('Egress') ? { egress: egress.map(({ to, ports }) => ruleOf(to, ports, namespace)) } : {}),
  };
}

function ruleOf(
  peers: readonly DeepReadonly<NetworkPolicyPeer>[] | undefined,
  ports: readonly DeepReadonly<NetworkPolicyPort>[] | undefined,
  namespace: string,
): RuleStatement {
  return {
    ...(isAny(peers) ? {} : { peers: peers.map((peer) => peerOf(peer, namespace)) }),
    ...(isAny(ports) ? {} : { ports: ports.map(portOf) }),
  };
}

/** An empty list means the same as none. */
function isAny(list: readonly unknown[] | undefined): list is undefined {
  return list === undefined || list.length === 0;
}

function peerOf(
  { ipBlock, namespaceSelector, podSelector }: DeepReadonly<NetworkPolicyPeer>,
  namespace: string,
): PeerStatement {
  if (ipBlock !== undefined) return { cidrs: [ipBlock.cidr], except: ipBlock.except ?? [] };
  const pods = podSelector === undefined ? {} : { podSelector };
  return namespaceSelector === undefined ? { namespace, ...pods } : { namespaceSelector, ...pods };
}

function portOf({ protocol = 'TCP', port, endPort }: DeepReadonly<NetworkPolicyPort>): PortStatement {
  return { protocol, ...(port === undefined ? {} : { port }), ...(endPort === undefined ? {} : { endPort }) };
}
