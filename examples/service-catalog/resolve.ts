import { createHash } from 'node:crypto';
import type { Kind, KubernetesObject, Objects, Observed, Secret } from 'keelson';
import type { ServiceBroker, ServiceClass, ServiceInstance, ServicePlan } from './kinds.ts';
import * as kinds from './kinds.ts';

/** Why something cannot go on, as a condition says it. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

/** What an instance is to be of. */
export interface Resolved {
  /** `ClusterServiceBroker/NAME` or `ServiceBroker/NAMESPACE/NAME`. */
  readonly broker: string;
  readonly serviceClass: Observed<ServiceClass>['spec'];
  readonly plan: Observed<ServicePlan>['spec'];
  readonly isRemoved: boolean;
}

type Spec = Observed<ServiceInstance>['spec'];
/** Reads objects, from wherever they are kept. */
export type Read = <T extends KubernetesObject>(kind: Kind<T>) => Pick<Objects<T>, 'get' | 'list'>;
type Entry = {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly externalName: string; readonly externalID: string };
};

interface Names {
  readonly externalName?: string | undefined;
  readonly externalID?: string | undefined;
  readonly name?: string | undefined;
}

const given = (names: Names): readonly string[] =>
  Object.values(names).filter((each) => each !== undefined) as readonly string[];

/** The names of class and plan in a spec, for the whole cluster or for the namespace. */
function namesIn(spec: Spec): { readonly isCluster: boolean; readonly serviceClass: Names; readonly plan: Names }[] {
  return [
    {
      isCluster: true,
      serviceClass: {
        externalName: spec.clusterServiceClassExternalName,
        externalID: spec.clusterServiceClassExternalID,
        name: spec.clusterServiceClassName,
      },
      plan: {
        externalName: spec.clusterServicePlanExternalName,
        externalID: spec.clusterServicePlanExternalID,
        name: spec.clusterServicePlanName,
      },
    },
    {
      isCluster: false,
      serviceClass: {
        externalName: spec.serviceClassExternalName,
        externalID: spec.serviceClassExternalID,
        name: spec.serviceClassName,
      },
      plan: {
        externalName: spec.servicePlanExternalName,
        externalID: spec.servicePlanExternalID,
        name: spec.servicePlanName,
      },
    },
  ];
}

/** What is wrong with the references of a spec by themselves. */
export function referenceProblem(spec: Spec): string | undefined {
  const used = namesIn(spec).filter(({ serviceClass, plan }) => given(serviceClass).length + given(plan).length > 0);
  const [names] = used;
  if (names === undefined || used.length > 1)
    return 'spec names a class and a plan either of the cluster or of the namespace';
  if (given(names.serviceClass).length !== 1 || given(names.plan).length !== 1)
    return 'spec names one class and one plan, each in one way';
  return undefined;
}

function find<E extends Entry>(entries: readonly E[], { externalName, externalID, name }: Names): E[] {
  return entries.filter(
    ({ metadata, spec }) =>
      metadata.name === name || spec.externalName === externalName || spec.externalID === externalID,
  );
}

/** The class and the plan that an instance names. */
export function resolve(spec: Spec, namespace: string, objects: Read): Resolved | Problem {
  const names = namesIn(spec).find(({ serviceClass }) => given(serviceClass).length > 0);
  if (names === undefined)
    return { reason: 'ReferencesNonexistentServiceClass', message: 'The instance names no class.' };
  const { isCluster } = names;
  const classes: readonly Observed<ServiceClass>[] = isCluster
    ? objects(kinds.ClusterServiceClass).list()
    : objects(kinds.ServiceClass).list({ namespace });
  const found = find(classes, names.serviceClass);
  const [serviceClass] = found;
  const of = isCluster ? 'ClusterService' : 'Service';
  if (serviceClass === undefined || found.length > 1)
    return {
      reason: 'ReferencesNonexistentServiceClass',
      message: `The instance references a ${of}Class that does not exist, or is not unique. ${given(names.serviceClass).join('')}`,
    };
  const plans = isCluster ? objects(kinds.ClusterServicePlan).list() : objects(kinds.ServicePlan).list({ namespace });
  const ref = (plan: Observed<ServicePlan>): string | undefined =>
    (plan.spec.clusterServiceClassRef ?? plan.spec.serviceClassRef)?.name;
  const [plan] = find(
    plans.filter((each) => ref(each) === serviceClass.metadata.name),
    names.plan,
  );
  if (plan === undefined)
    return {
      reason: 'ReferencesNonexistentServicePlan',
      message: `The instance references a ${of}Plan that does not exist. ${given(names.plan).join('')}`,
    };
  const { clusterServiceBrokerName, serviceBrokerName } = serviceClass.spec;
  return {
    broker: isCluster
      ? `ClusterServiceBroker/${clusterServiceBrokerName ?? ''}`
      : `ServiceBroker/${namespace}/${serviceBrokerName ?? ''}`,
    serviceClass: serviceClass.spec,
    plan: plan.spec,
    isRemoved: serviceClass.status?.removedFromBrokerCatalog === true || plan.status?.removedFromBrokerCatalog === true,
  };
}

export function brokerOf(key: string, objects: Read): Observed<ServiceBroker> | undefined {
  const [kind, ...name] = key.split('/');
  return kind === 'ClusterServiceBroker'
    ? objects(kinds.ClusterServiceBroker).get(name.join('/'))
    : objects(kinds.ServiceBroker).get(name.join('/'));
}

interface Parametrized {
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly parametersFrom?:
    | readonly { readonly secretKeyRef: { readonly name: string; readonly key: string } }[]
    | undefined;
}

/** The parameters with those of Secrets, and a text that tells whether they have changed. */
export function parametersOf(
  { parameters = {}, parametersFrom = [] }: Parametrized,
  secret: (name: string) => Observed<Secret> | undefined,
): { readonly parameters: Readonly<Record<string, unknown>>; readonly checksum: string } | Problem {
  const all = new Map(Object.entries(parameters));
  for (const {
    secretKeyRef: { name, key },
  } of parametersFrom) {
    const value = secret(name)?.data?.[key];
    const problem = (text: string): Problem => ({
      reason: 'ErrorWithParameters',
      message: `Key "${key}" of Secret "${name}" ${text}`,
    });
    if (value === undefined) return problem('is not there');
    const read = parsed(Buffer.from(value, 'base64').toString('utf8'));
    if (read === undefined) return problem('is no JSON object');
    for (const [field, each] of Object.entries(read)) {
      if (all.has(field)) return problem(`has "${field}", which is given elsewhere, too`);
      all.set(field, each);
    }
  }
  const sorted = Object.fromEntries([...all].toSorted(([one], [two]) => (one < two ? -1 : 1)));
  return { parameters: sorted, checksum: createHash('sha256').update(JSON.stringify(sorted)).digest('hex') };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // the condition says so
  }
}
