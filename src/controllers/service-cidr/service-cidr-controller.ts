import { type IpPrefix, isIpv4, isSameIp, maskIp, parseCidr, parseIp } from '../../api/values/index.ts';
import { IPAddress, mergePatch, type Observed, ServiceCIDR } from '../../client/index.ts';
import { controller, type Controller, type Objects, type ReconcileContext, watch } from '../../kit/index.ts';

/** A network by its address and prefix length. */
type Network = Pick<IpPrefix, 'address' | 'length'>;

const NAME = 'service-cidr-controller';
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
/** A deleted ServiceCIDR stays this long, until all API servers know not to allocate from it. */
const GRACE_MS = 10_000;
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const ALLOCATOR = 'ipallocator.k8s.io';

/** Maintains the Ready condition of ServiceCIDRs, and blocks the deletion of those whose addresses are in use. */
export function serviceCidrController(): Controller {
  return controller(ServiceCIDR, {
    queueName: 'ipaddresses',
    name: NAME,
    watches: [
      watch(ServiceCIDR, { to: (cidr, { objects }) => overlapping(cidr, objects(ServiceCIDR).list()) }),
      watch(IPAddress, {
        to: (address, { objects }) => containing(address.metadata.name, objects(ServiceCIDR).list()),
        when: (address, old) => old === undefined && isManaged(address),
      }),
    ],
    async reconcile(cidr, context) {
      if (cidr.metadata.deletionTimestamp !== undefined) return await remove(cidr, context);
      const cidrs = context.objects(ServiceCIDR);
      const { finalizers = [] } = cidr.metadata;
      if (!finalizers.includes(FINALIZER))
        await cidrs.patch(context.key, mergePatch({ metadata: { finalizers: [...finalizers, FINALIZER] } }));
      await say(cidr, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' }, context);
    },
  });
}

async function remove(cidr: Observed<ServiceCIDR>, context: ReconcileContext): Promise<void> {
  const { objects, clock, after, key } = context;
  const { finalizers = [], deletionTimestamp = '', resourceVersion } = cidr.metadata;
  if (!isReplaceable(cidr, objects(ServiceCIDR)) && hasUnsharedAddress(cidr, objects)) {
    const message =
      'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';
    return await say(cidr, { status: 'False', reason: 'Terminating', message }, context);
  }
  const leftMs = Date.parse(deletionTimestamp) + GRACE_MS - clock.now();
  if (leftMs > 0) return after(leftMs);
  if (!finalizers.includes(FINALIZER)) return;
  const kept = finalizers.filter((name) => name !== FINALIZER);
  await objects(ServiceCIDR).patch(key, mergePatch({ metadata: { finalizers: kept, resourceVersion } }));
}

/** Whether another ServiceCIDR contains all its addresses. */
function isReplaceable(cidr: Observed<ServiceCIDR>, cidrs: Objects<ServiceCIDR>): boolean {
  const others = cidrs.list().filter(({ metadata }) => metadata.name !== cidr.metadata.name);
  return networksOf(cidr).every((network) =>
    others.some((other) => networksOf(other).some((larger) => contains(larger, network))),
  );
}

/** Whether a Service has an address that no other ServiceCIDR contains. */
function hasUnsharedAddress(cidr: Observed<ServiceCIDR>, objects: ReconcileContext['objects']): boolean {
  const cidrs = objects(ServiceCIDR).list();
  return objects(IPAddress)
    .list({ labelSelector: { [MANAGED_BY]: ALLOCATOR } })
    .some(({ metadata }) => {
      const homes = containing(metadata.name, cidrs);
      return homes.length === 1 && homes[0] === cidr.metadata.name;
    });
}

interface Readiness {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

async function say(
  cidr: Observed<ServiceCIDR>,
  ready: Readiness,
  { objects, clock, key }: ReconcileContext,
): Promise<void> {
  const current = cidr.status?.conditions?.find(({ type }) => type === 'Ready');
  const isSaid =
    current?.status === ready.status && current.reason === ready.reason && current.message === ready.message;
  if (isSaid) return;
  const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const conditions = [{ type: 'Ready', ...ready, lastTransitionTime }];
  await objects(ServiceCIDR).applyStatus(
    { metadata: { name: key }, status: { conditions } },
    { fieldManager: NAME, force: true },
  );
}

function isManaged({ metadata }: Observed<IPAddress>): boolean {
  return metadata.labels?.[MANAGED_BY] === ALLOCATOR;
}

function containing(text: string, cidrs: readonly Observed<ServiceCIDR>[]): string[] {
  const address = parseIp(text);
  if (address === undefined) return [];
  const network: Network = { address, length: isIpv4(address) ? 32 : 128 };
  return cidrs
    .filter((cidr) => networksOf(cidr).some((larger) => contains(larger, network)))
    .map(({ metadata }) => metadata.name);
}

function overlapping(cidr: Observed<ServiceCIDR>, cidrs: readonly Observed<ServiceCIDR>[]): string[] {
  const own = networksOf(cidr);
  return cidrs
    .filter((other) => networksOf(other).some((one) => own.some((two) => contains(one, two) || contains(two, one))))
    .map(({ metadata }) => metadata.name);
}

function networksOf({ spec }: Observed<ServiceCIDR>): readonly Network[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** Whether the larger network contains the smaller one. */
function contains(larger: Network, smaller: Network): boolean {
  if (isIpv4(larger.address) !== isIpv4(smaller.address) || smaller.length < larger.length) return false;
  return isSameIp(maskIp(larger), maskIp({ address: smaller.address, length: larger.length }));
}
