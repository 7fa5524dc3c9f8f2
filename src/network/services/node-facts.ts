import type { Node } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { IpFamily } from './proxied-port.ts';
import { addressOf } from './read-service.ts';

/** A taint by which an autoscaler announces that it removes the node. */
const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** What a proxy needs to know about its own node. */
export interface NodeFacts {
  readonly name: string;
  /** Undefined for a node without the label, and while the API has no such node. */
  readonly zone: string | undefined;
  /** Its first address of each family: internal ones before external ones. */
  readonly addresses: Readonly<Record<IpFamily, string | undefined>>;
  readonly podCidrs: readonly string[];
  /** Whether load balancers may send new connections: not while the node is missing, being deleted or about to be. */
  readonly isEligible: boolean;
}

/** The node while the API does not have it. */
export function unknownNode(name: string): NodeFacts {
  const addresses = { IPv4: undefined, IPv6: undefined };
  return { name, zone: undefined, addresses, podCidrs: [], isEligible: false };
}

export function readNode({ metadata, spec, status }: DeepReadonly<Node>): NodeFacts {
  const found = ['InternalIP', 'ExternalIP'].flatMap((wanted) =>
    (status?.addresses ?? []).flatMap(({ type, address }) => (type === wanted ? [address] : [])),
  );
  return {
    name: metadata?.name ?? '',
    zone: metadata?.labels?.[ZONE_LABEL],
    addresses: { IPv4: firstOf(found, 'IPv4'), IPv6: firstOf(found, 'IPv6') },
    podCidrs: spec?.podCIDRs ?? [],
    isEligible:
      metadata?.deletionTimestamp === undefined && !(spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED),
  };
}

function firstOf(texts: readonly string[], family: IpFamily): string | undefined {
  return texts.map((text) => addressOf(text, family)).find((address) => address !== undefined);
}
