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
  readonly references: References;
  readonly isRemoved: boolean;
}

type Spec = Observed<ServiceInstance>['spec'];
/** Reads objects, from wherever they are kept. */
export type Read = <T extends KubernetesObject>(kind: Kind<T>) => Pick<Objects<T>, 'get' | 'list'>;
type Entry = {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly externalName: string; readonly externalID: string };
};

/** The fields of a spec by which classes and plans are named. */
type NameField =
  `${'clusterServiceClass' | 'clusterServicePlan' | 'serviceClass' | 'servicePlan'}${'ExternalName' | 'ExternalID' | 'Name'}`;
/** What the names were found to mean. */
export type References = Pick<
  Spec,
  'clusterServiceClassRef' | 'clusterServicePlanRef' | 'serviceClassRef' | 'servicePlanRef'
>;

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

/** The names of class and plan in a spec, as one text. */
export function namesOf(spec: Spec): string {
  return JSON.stringify(namesIn(spec));
}

/** The references of a spec. */
export function referencesIn(spec: References): References {
  const { clusterServiceClassRef, clusterServicePlanRef, serviceClassRef, servicePlanRef } = spec;
  return {
    ...(clusterServiceClassRef === undefined ? {} : { clusterServiceClassRef }),
    ...(clusterServicePlanRef === undefined ? {} : { clusterServicePlanRef }),
    ...(serviceClassRef === undefined ? {} : { serviceClassRef }),
    ...(servicePlanRef === undefined ? {} : { servicePlanRef }),
  };
}

/** The same spec without what the names were found to mean. */
export function withoutReferences<S extends References>(spec: S): Omit<S, keyof References> {
  const {
    clusterServiceClassRef: _1,
    clusterServicePlanRef: _2,
    serviceClassRef: _3,
    servicePlanRef: _4,
    ...rest
  } = spec;
  return rest;
}

/** Class and plan as the user named them. */
export function userSpecified(spec: Spec): { userSpecifiedClassName?: string; userSpecifiedPlanName?: string } {
  const names = namesIn(spec).find(({ serviceClass }) => given(serviceClass).length > 0);
  if (names === undefined) return {};
  return {
    userSpecifiedClassName: `${names.isCluster ? 'ClusterServiceClass' : 'ServiceClass'}/${given(names.serviceClass).join('')}`,
    userSpecifiedPlanName: given(names.plan).join(''),
  };
}

/**
 * The field that names the only plan of the class where a spec names no plan, or why there is none; undefined when the spec names one,
 * or no single class.
 */
export function defaultPlan(
  spec: Spec,
  namespace: string,
  objects: Read,
): Partial<Record<NameField, string>> | string | undefined {
  const names = namesIn(spec).find(({ serviceClass }) => given(serviceClass).length === 1);
  if (names === undefined || given(names.plan).length > 0) return undefined;
  const { isCluster, serviceClass: named } = names;
  const [serviceClass] = find(classesOf(isCluster, namespace, objects), named);
  const name = given(named).join('');
  if (serviceClass === undefined) return `class "${name}" does not exist, so spec has to name a plan`;
  // a plan that has left the catalog stays while instances use it, and is for no others
  const plans = plansOf(isCluster, namespace, objects).filter(
    (each) => classOf(each) === serviceClass.metadata.name && each.status?.removedFromBrokerCatalog !== true,
  );
  const [plan] = plans;
  if (plan === undefined) return `class "${name}" has no plan`;
  if (plans.length > 1) return `class "${name}" has more than one plan, so spec has to name one`;
  const kind = isCluster ? 'clusterServicePlan' : 'servicePlan';
  if (named.externalName !== undefined) return { [`${kind}ExternalName`]: plan.spec.externalName };
  if (named.externalID !== undefined) return { [`${kind}ExternalID`]: plan.spec.externalID };
  return { [`${kind}Name`]: plan.metadata.name };
}

function classesOf(isCluster: boolean, namespace: string, objects: Read): readonly Observed<ServiceClass>[] {
  return isCluster ? objects(kinds.ClusterServiceClass).list() : objects(kinds.ServiceClass).list({ namespace });
}

function plansOf(isCluster: boolean, namespace: string, objects: Read): readonly Observed<ServicePlan>[] {
  return isCluster ? objects(kinds.ClusterServicePlan).list() : objects(kinds.ServicePlan).list({ namespace });
}

function classOf({ spec }: Observed<ServicePlan>): string | undefined {
  return (spec.clusterServiceClassRef ?? spec.serviceClassRef)?.name;
}

function find<E extends Entry>(entries: readonly E[], { externalName, externalID, name }: Names): E[] {
  return entries.filter(
    ({ metadata, spec }) =>
      metadata.name === name || spec.externalName === externalName || spec.externalID === externalID,
  );
}

/** The class and the plan that an instance is of: by its references, or else by its names. */
export function resolve(spec: Spec, namespace: string, objects: Read): Resolved | Problem {
  const names = namesIn(spec).find(({ serviceClass }) => given(serviceClass).length > 0);
  if (names === undefined)
    return { reason: 'ReferencesNonexistentServiceClass', message: 'The instance names no class.' };
  const { isCluster } = names;
  const classRef = isCluster ? spec.clusterServiceClassRef : spec.serviceClassRef;
  const planRef = isCluster ? spec.clusterServicePlanRef : spec.servicePlanRef;
  const found = find(
    classesOf(isCluster, namespace, objects),
    classRef === undefined ? names.serviceClass : { name: classRef.name },
  );
  const [serviceClass] = found;
  const of = isCluster ? 'ClusterService' : 'Service';
  if (serviceClass === undefined || found.length > 1)
    return {
      reason: 'ReferencesNonexistentServiceClass',
      message: `The instance references a ${of}Class that does not exist, or is not unique. ${given(names.serviceClass).join('')}`,
    };
  const [plan] = find(
    plansOf(isCluster, namespace, objects).filter((each) => classOf(each) === serviceClass.metadata.name),
    planRef === undefined ? names.plan : { name: planRef.name },
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
    references: isCluster
      ? {
          clusterServiceClassRef: { name: serviceClass.metadata.name },
          clusterServicePlanRef: { name: plan.metadata.name },
        }
      : { serviceClassRef: { name: serviceClass.metadata.name }, servicePlanRef: { name: plan.metadata.name } },
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
