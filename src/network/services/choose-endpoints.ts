import { type PortEndpoints, type PortFacts, usesClusterEndpoints, usesLocalEndpoints } from './proxied-port.ts';
import { endpointPlace, type HintedEndpoint } from './read-endpoint-slices.ts';

/** Where this node is. */
export interface Place {
  readonly node: string;
  /** Undefined for a node without the label. */
  readonly zone: string | undefined;
}

type Test = (endpoint: HintedEndpoint) => boolean;

const NONE: readonly HintedEndpoint[] = [];
const NO_ENDPOINTS: PortEndpoints = { all: NONE, cluster: NONE, local: NONE, reachable: NONE, hasAny: false };

/** The endpoints of a port that traffic from this node and through it uses. */
export function chooseEndpoints(all: readonly HintedEndpoint[], facts: PortFacts, place: Place): PortEndpoints {
  if (all.length === 0) return NO_ENDPOINTS;
  const cluster = usesClusterEndpoints(facts) ? readyOrLeaving(all, nearTest(all, place)) : NONE;
  const isLocalUsed = usesLocalEndpoints(facts);
  const local = isLocalUsed ? localEndpoints(all) : NONE;
  const hasAny = cluster.length > 0 || (isLocalUsed && all.some((endpoint) => endpoint.isReady || isLeaving(endpoint)));
  return { all, cluster, local, reachable: together(cluster, local), hasAny };
}

/**
 * The ready endpoints that pass the test; when none is ready, those that serve while they terminate. The test never fails all ready
 * ones, because hints that would are not used.
 */
function readyOrLeaving(all: readonly HintedEndpoint[], isNear: Test): readonly HintedEndpoint[] {
  const ready = all.filter((endpoint) => endpoint.isReady && isNear(endpoint));
  return ready.length > 0 ? ready : all.filter(isLeaving);
}

function localEndpoints(all: readonly HintedEndpoint[]): readonly HintedEndpoint[] {
  const local = all.filter(({ isLocal }) => isLocal);
  const ready = local.filter(({ isReady }) => isReady);
  return ready.length > 0 ? ready : local.filter((endpoint) => !endpoint.isReady && isLeaving(endpoint));
}

function isLeaving({ isServing, isTerminating }: HintedEndpoint): boolean {
  return isServing && isTerminating;
}

/**
 * Which endpoints hints leave for this node. Hints count when every ready endpoint has one and at least one names this node, or else
 * this zone: a slice that is half written, or one for other zones, must not take all endpoints away.
 */
function nearTest(all: readonly HintedEndpoint[], { node, zone = '' }: Place): Test {
  const ready = all.filter(({ isReady }) => isReady);
  if (ready.length === 0) return () => true;
  const isForNode: Test = ({ nodes }) => nodes.includes(node);
  if (ready.every(({ nodes }) => nodes.length > 0) && ready.some(isForNode)) return isForNode;
  const isForZone: Test = ({ zones }) => zones.includes(zone);
  if (ready.every(({ zones }) => zones.length > 0) && ready.some(isForZone)) return isForZone;
  return () => true;
}

function together(cluster: readonly HintedEndpoint[], local: readonly HintedEndpoint[]): readonly HintedEndpoint[] {
  if (local.length === 0) return cluster;
  if (cluster.length === 0) return local;
  const places = new Set(cluster.map(endpointPlace));
  const more = local.filter((endpoint) => !places.has(endpointPlace(endpoint)));
  return more.length === 0 ? cluster : [...cluster, ...more];
}
