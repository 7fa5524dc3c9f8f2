/** The IP families of Services. */
export type IpFamily = 'IPv4' | 'IPv6';
/** The protocols of a Service's ports. */
export type PortProtocol = 'TCP' | 'UDP' | 'SCTP';
/** Which endpoints traffic may reach: those of the whole cluster, or those on this node. */
export type TrafficPolicy = 'Cluster' | 'Local';

/** One place where a port of a Service is served. */
export interface ServiceEndpoint {
  /** The address in its canonical form. */
  readonly address: string;
  readonly port: number;
  /** Whether it runs on this node. */
  readonly isLocal: boolean;
  /** Ready, and not terminating; true of every endpoint of a Service that publishes addresses that are not ready. */
  readonly isReady: boolean;
  /** Ready, whether or not it terminates. */
  readonly isServing: boolean;
  readonly isTerminating: boolean;
}

/** The endpoints of a port, as this node uses them. */
export interface PortEndpoints {
  /** Every endpoint that is known, in the order of addresses and ports. */
  readonly all: readonly ServiceEndpoint[];
  /** Those for traffic of policy Cluster: ready, and near enough; else those that serve while they terminate. */
  readonly cluster: readonly ServiceEndpoint[];
  /** Those for traffic of policy Local, on this node: ready; else those that serve while they terminate. */
  readonly local: readonly ServiceEndpoint[];
  /** Those of `cluster` and `local`, each once. */
  readonly reachable: readonly ServiceEndpoint[];
  /** Whether any node can use any endpoint. */
  readonly hasAny: boolean;
}

/** What a Service says about one of its ports, for one IP family. */
export interface PortFacts {
  /** Unique in its IP family: `default/web:http/TCP`, and `default/web/TCP` for a port without a name. */
  readonly name: string;
  readonly family: IpFamily;
  readonly namespace: string;
  readonly service: string;
  /** Empty for a port without a name. */
  readonly portName: string;
  readonly protocol: PortProtocol;
  readonly clusterIp: string;
  readonly port: number;
  readonly nodePort: number | undefined;
  readonly externalIps: readonly string[];
  /** Addresses of load balancers whose packets arrive with that address as destination (`ipMode: VIP`). */
  readonly loadBalancerIps: readonly string[];
  /** Ranges that load balancer addresses accept connections from; empty for all. */
  readonly sourceRanges: readonly string[];
  /** How long a client stays with its endpoint; undefined without session affinity. */
  readonly affinitySeconds: number | undefined;
  readonly internalPolicy: TrafficPolicy;
  readonly externalPolicy: TrafficPolicy;
  readonly healthCheckNodePort: number | undefined;
}

/** A port of a Service with all that a proxy needs to forward it on one node. */
export interface ProxiedPort extends PortFacts {
  readonly endpoints: PortEndpoints;
}

/** Whether the port is reached by anything but its cluster IP. */
export function isExternal({ nodePort, loadBalancerIps, externalIps }: PortFacts): boolean {
  return nodePort !== undefined || loadBalancerIps.length > 0 || externalIps.length > 0;
}

/** Whether any traffic of the port goes by policy Cluster: pods and the node itself reach external addresses so, whatever the policy. */
export function usesClusterEndpoints(facts: PortFacts): boolean {
  return facts.internalPolicy === 'Cluster' || isExternal(facts);
}

export function usesLocalEndpoints(facts: PortFacts): boolean {
  return facts.internalPolicy === 'Local' || (facts.externalPolicy === 'Local' && isExternal(facts));
}

export function isSamePort(left: ProxiedPort, right: ProxiedPort): boolean {
  return isSameFacts(left, right) && isSameEndpoints(left.endpoints, right.endpoints);
}

function isSameFacts(left: PortFacts, right: PortFacts): boolean {
  return (
    left.name === right.name &&
    left.clusterIp === right.clusterIp &&
    left.port === right.port &&
    left.nodePort === right.nodePort &&
    isSameList(left.externalIps, right.externalIps) &&
    isSameList(left.loadBalancerIps, right.loadBalancerIps) &&
    isSameList(left.sourceRanges, right.sourceRanges) &&
    left.affinitySeconds === right.affinitySeconds &&
    left.internalPolicy === right.internalPolicy &&
    left.externalPolicy === right.externalPolicy &&
    left.healthCheckNodePort === right.healthCheckNodePort
  );
}

/** `reachable` and `hasAny` follow from the others. */
function isSameEndpoints(left: PortEndpoints, right: PortEndpoints): boolean {
  return (
    isSameList(left.all, right.all, isSameEndpoint) &&
    isSameList(left.cluster, right.cluster, isSameEndpoint) &&
    isSameList(left.local, right.local, isSameEndpoint) &&
    left.hasAny === right.hasAny
  );
}

function isSameEndpoint(left: ServiceEndpoint, right: ServiceEndpoint): boolean {
  return (
    left === right ||
    (left.address === right.address &&
      left.port === right.port &&
      left.isLocal === right.isLocal &&
      left.isReady === right.isReady &&
      left.isServing === right.isServing &&
      left.isTerminating === right.isTerminating)
  );
}

function isSameList<T>(
  left: readonly T[],
  right: readonly T[],
  isSame: (left: T, right: T) => boolean = (one, other) => one === other,
): boolean {
  return left === right || (left.length === right.length && left.every((each, at) => isSame(each, right[at] as T)));
}
