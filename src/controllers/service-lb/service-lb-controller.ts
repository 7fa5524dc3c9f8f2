import type { Counter, MetricRegistry } from '../../base/index.ts';
import { mergePatch, type Observed, Service } from '../../client/index.ts';
import { controller, type Controller, type ReconcileContext } from '../../kit/index.ts';
import { freeAddress } from './free-address.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/**
 * Assigns addresses to Services of type LoadBalancer, as a cloud controller would: fictitious ones, from networks that
 * are never routed. Services with a `loadBalancerClass` are left to the controller of that class.
 */
export function serviceLbController(): Controller {
  return controller(Service, {
    name: 'service-lb-controller',
    queueName: 'service',
    concurrency: 1,
    component: 'service-controller',
    when: (service, old) => isOurs(service) || (old !== undefined && isOurs(old)),
    async reconcile(service, context) {
      if (isOurs(service) && service.metadata.deletionTimestamp === undefined) await ensure(service, context);
      else if (hasFinalizer(service)) await release(service, context);
    },
  });
}

function balancerMetrics(metrics: MetricRegistry): Counter {
  const help = 'Load balancers set up or changed.';
  return metrics.counter({ name: 'service_controller_loadbalancer_sync_total', help }).with();
}

type Ingress = NonNullable<NonNullable<NonNullable<Observed<Service>['status']>['loadBalancer']>['ingress']>;

async function ensure(service: Observed<Service>, { objects, event, key, metrics }: ReconcileContext): Promise<void> {
  const services = objects(Service);
  const { finalizers = [], resourceVersion } = service.metadata;
  const wanted = addressesFor(service, services.list());
  const given = service.status?.loadBalancer?.ingress ?? [];
  if (hasFinalizer(service) && isSame(given, wanted)) return;
  metrics.shared(balancerMetrics).add();
  event({ type: 'Normal', reason: 'EnsuringLoadBalancer', message: 'Ensuring load balancer' });
  if (!hasFinalizer(service))
    await services.patch(key, mergePatch({ metadata: { finalizers: [...finalizers, FINALIZER], resourceVersion } }));
  if (wanted === undefined) {
    event({
      type: 'Warning',
      reason: 'SyncLoadBalancerFailed',
      message: 'Error syncing load balancer: failed to ensure load balancer: no address is free',
    });
    throw new Error(`Cannot give ${key} an address: none is free`);
  }
  const ingress = wanted.map((ip) => ({ ip, ipMode: 'VIP' }));
  await services.patchStatus(key, mergePatch({ status: { loadBalancer: { ingress } } }));
  event({ type: 'Normal', reason: 'EnsuredLoadBalancer', message: 'Ensured load balancer' });
}

async function release(service: Observed<Service>, { objects, event, key }: ReconcileContext): Promise<void> {
  const services = objects(Service);
  event({ type: 'Normal', reason: 'DeletingLoadBalancer', message: 'Deleting load balancer' });
  if (service.metadata.deletionTimestamp === undefined && (service.status?.loadBalancer?.ingress ?? []).length > 0)
    await services.patchStatus(key, mergePatch({ status: { loadBalancer: { ingress: null } } }));
  const { finalizers = [] } = services.get(key)?.metadata ?? {};
  const kept = finalizers.filter((name) => name !== FINALIZER);
  await services.patch(key, mergePatch({ metadata: { finalizers: kept } }));
  event({ type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' });
}

/**
 * One address per family: the Service's current ones if they are valid, otherwise free ones; undefined when there is
 * none.
 */
function addressesFor(service: Observed<Service>, all: readonly Observed<Service>[]): readonly string[] | undefined {
  const taken = new Set(
    all.filter(({ metadata }) => metadata.uid !== service.metadata.uid).flatMap((other) => addressesOf(other)),
  );
  const { ipFamilies = ['IPv4'], loadBalancerIP } = service.spec ?? {};
  const own = addressesOf(service);
  const found = ipFamilies.map((family) => freeAddress(family, { taken, preferred: [loadBalancerIP ?? '', ...own] }));
  return found.some((address) => address === undefined) ? undefined : found.flatMap((address) => address ?? []);
}

function addressesOf({ status }: Observed<Service>): readonly string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
}

function isSame(given: Ingress, wanted: readonly string[] | undefined): boolean {
  return given.map(({ ip }) => ip).join() === wanted?.join();
}

function isOurs({ spec }: Observed<Service>): boolean {
  return spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;
}

function hasFinalizer({ metadata }: Observed<Service>): boolean {
  return metadata.finalizers?.includes(FINALIZER) === true;
}
