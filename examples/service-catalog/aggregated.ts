import { type Admitted, type Api, api, type Kind, type KubernetesObject, type Observed, StatusError } from 'keelson';
import { bindingProblem, completed, instanceProblem, type Reading, withUser } from './admission.ts';
import { type Admit, FolderStorage } from './folder-storage.ts';
import * as kinds from './kinds.ts';
import { restrictionProblem } from './restrictions.ts';

/** The catalog's group as an API server of its own, whose objects are in a folder. */
export async function catalogApi(folder: string): Promise<Api> {
  const instances: FolderStorage<kinds.ServiceInstance> = new FolderStorage(
    kinds.ServiceInstance,
    folder,
    admitInstance,
  );
  const admitBinding: Admit<kinds.ServiceBinding> = (object, old, { user, namespace }) => {
    refuse(
      'servicebindings',
      object,
      old === undefined ? bindingProblem(object as Admitted<kinds.ServiceBinding>, { objects, namespace }) : undefined,
    );
    return withUser(object, old, user);
  };
  function admitInstance(
    object: kinds.ServiceInstance,
    old: kinds.ServiceInstance | undefined,
    { user, namespace }: Parameters<Admit<kinds.ServiceInstance>>[2],
  ): kinds.ServiceInstance {
    const isSame = old !== undefined && JSON.stringify(object.spec) === JSON.stringify(old.spec);
    const whole = completed(object, old, { objects, namespace });
    const admitted = whole as Admitted<kinds.ServiceInstance>;
    if (!isSame)
      refuse(
        'serviceinstances',
        object,
        instanceProblem(admitted, old as Admitted<kinds.ServiceInstance> | undefined, { objects, namespace }),
      );
    return withUser(whole, old, user);
  }
  const admitBroker =
    (isCluster: boolean): Admit<kinds.ServiceBroker> =>
    (object) => {
      refuse(
        isCluster ? 'clusterservicebrokers' : 'servicebrokers',
        object,
        restrictionProblem(object.spec, isCluster),
      );
      return object;
    };
  const storages = {
    clusterservicebrokers: new FolderStorage(kinds.ClusterServiceBroker, folder, admitBroker(true)),
    servicebrokers: new FolderStorage(kinds.ServiceBroker, folder, admitBroker(false)),
    clusterserviceclasses: new FolderStorage(kinds.ClusterServiceClass, folder),
    serviceclasses: new FolderStorage(kinds.ServiceClass, folder),
    clusterserviceplans: new FolderStorage(kinds.ClusterServicePlan, folder),
    serviceplans: new FolderStorage(kinds.ServicePlan, folder),
    serviceinstances: instances,
    servicebindings: new FolderStorage(kinds.ServiceBinding, folder, admitBinding),
  };
  const objects: Reading['objects'] = <T extends KubernetesObject>(kind: Kind<T>) => {
    const found: { get(key: string): unknown; list(query?: { readonly namespace?: string }): unknown } | undefined =
      Object.entries(storages).find(([plural]) => plural === kind.plural)?.[1];
    return {
      get: (key: string) => found?.get(key) as Observed<T> | undefined,
      list: (query?: { readonly namespace?: string }) => (found?.list(query) ?? []) as Observed<T>[],
    };
  };
  for (const storage of Object.values(storages)) await storage.load();
  const {
    clusterservicebrokers,
    servicebrokers,
    clusterserviceclasses,
    serviceclasses,
    clusterserviceplans,
    serviceplans,
    servicebindings,
  } = storages;
  return api('servicecatalog.k8s.io/v1beta1', {
    clusterservicebrokers: clusterservicebrokers.resource,
    servicebrokers: servicebrokers.resource,
    clusterserviceclasses: clusterserviceclasses.resource,
    serviceclasses: serviceclasses.resource,
    clusterserviceplans: clusterserviceplans.resource,
    serviceplans: serviceplans.resource,
    serviceinstances: instances.resource,
    servicebindings: servicebindings.resource,
  });
}

function refuse(
  resource: string,
  { metadata: { name = '' } = {} }: KubernetesObject,
  problem: string | undefined,
): void {
  if (problem === undefined) return;
  const message = `${resource}.servicecatalog.k8s.io "${name}" is forbidden: ${problem}`;
  throw new StatusError({
    code: 403,
    reason: 'Forbidden',
    message,
    details: { name, group: 'servicecatalog.k8s.io', kind: resource },
  });
}
