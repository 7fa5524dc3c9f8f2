import { admission, type AdmissionContext, type Admitted, type Observed } from 'keelson';
import { ParameterSchemaError, parameterProblems } from 'keelson/broker';
import {
  ClusterServiceBroker,
  ClusterServiceClass,
  ClusterServicePlan,
  ServiceBinding,
  ServiceBroker,
  ServiceClass,
  ServiceInstance,
  ServicePlan,
} from './kinds.ts';
import {
  defaultPlan,
  namesOf,
  type Read,
  referenceProblem,
  referencesIn,
  resolve,
  withoutReferences,
} from './resolve.ts';
import { restrictionProblem } from './restrictions.ts';

/** What of the catalog's kinds is there. */
export interface Reading {
  readonly objects: Read;
}

type Spec = Observed<ServiceInstance>['spec'];
type User = AdmissionContext<ServiceInstance>['user'];

/** The kinds that have to be read for it. */
export const CATALOG = [ClusterServiceClass, ClusterServicePlan, ServiceClass, ServicePlan, ServiceInstance] as const;

/** Who asks, as the spec notes it for brokers. */
export function userInfoOf({ name, uid = '', groups, extra }: User) {
  const copied = Object.fromEntries(Object.entries(extra ?? {}).map(([key, values]) => [key, [...values]]));
  return { username: name, uid, groups: [...groups], ...(extra === undefined ? {} : { extra: copied }) };
}

/** The spec with the only plan of its class where it names none, and without references that are not those of its names. */
export function completed<T extends { readonly spec: Spec }>(
  instance: T,
  old: { readonly spec: Spec } | undefined,
  { objects, namespace }: Reading & { readonly namespace: string },
): T {
  const plan = defaultPlan(instance.spec, namespace, objects);
  const spec = typeof plan === 'object' ? { ...instance.spec, ...plan } : instance.spec;
  const isSame = old !== undefined && namesOf(old.spec) === namesOf(spec);
  const known = isSame ? referencesIn(old.spec) : undefined;
  if (known === undefined) return { ...instance, spec: withoutReferences(spec) };
  // the catalog adds them once
  return Object.keys(known).length === 0 ? { ...instance, spec } : { ...instance, spec: { ...spec, ...known } };
}

/** A change of the spec is the user's who makes it; anything else leaves what is there. */
export function withUser<T extends { readonly spec: object }>(object: T, old: T | undefined, user: User): T {
  const { userInfo: _, ...spec } = object.spec as { readonly userInfo?: unknown };
  const { userInfo: before, ...oldSpec } = (old?.spec ?? {}) as { readonly userInfo?: unknown };
  // references are the catalog's, not the user's
  const wished = (whole: object): string => JSON.stringify(withoutReferences(whole));
  const isSame = old !== undefined && wished(spec) === wished(oldSpec);
  return { ...object, spec: { ...spec, userInfo: isSame ? before : userInfoOf(user) } };
}

/** Why an instance is refused. */
export function instanceProblem(
  instance: Admitted<ServiceInstance>,
  old: Admitted<ServiceInstance> | undefined,
  place: Reading & { readonly namespace: string },
): string | undefined {
  const plan = defaultPlan(instance.spec, place.namespace, place.objects);
  const problem = typeof plan === 'string' ? plan : referenceProblem(instance.spec);
  if (problem !== undefined) return problem;
  const wanted = resolve(instance.spec, place.namespace, place.objects);
  const meant = resolve(withoutReferences(instance.spec), place.namespace, place.objects);
  const isNew = Object.keys(referencesIn(instance.spec)).length > Object.keys(referencesIn(old?.spec ?? {})).length;
  if (isNew && ('reason' in meant || 'reason' in wanted || meant.plan.externalID !== wanted.plan.externalID))
    return 'references are set by the catalog';
  if ('reason' in wanted) return undefined; // it may come
  const before = old === undefined ? undefined : resolve(old.spec, place.namespace, place.objects);
  if (before !== undefined && 'plan' in before) {
    if (before.serviceClass.externalID !== wanted.serviceClass.externalID)
      return 'the class of an instance cannot change';
    if (before.plan.externalID !== wanted.plan.externalID && !before.serviceClass.planUpdatable)
      return `instances of class "${before.serviceClass.externalName}" cannot change to another plan`;
  }
  if (instance.spec.parametersFrom !== undefined) return undefined; // the broker judges the whole
  return judged(wanted.plan.instanceCreateParameterSchema, instance.spec.parameters ?? {});
}

/** Why a binding is refused. */
export function bindingProblem(
  binding: Admitted<ServiceBinding>,
  { objects, namespace }: Reading & { readonly namespace: string },
): string | undefined {
  const instance = objects(ServiceInstance).get(`${namespace}/${binding.spec.instanceRef.name}`);
  const resolved = instance === undefined ? undefined : resolve(instance.spec, namespace, objects);
  if (resolved === undefined || 'reason' in resolved || binding.spec.parametersFrom !== undefined) return undefined;
  return judged(resolved.plan.serviceBindingCreateParameterSchema, binding.spec.parameters ?? {});
}

function judged(
  schema: Readonly<Record<string, unknown>> | undefined,
  parameters: Readonly<Record<string, unknown>>,
): string | undefined {
  if (schema === undefined) return undefined;
  try {
    const problems = parameterProblems(schema, parameters);
    return problems.length === 0 ? undefined : `the parameters do not fit the plan: ${problems.join('; ')}`;
  } catch (error) {
    if (error instanceof ParameterSchemaError) return undefined; // the broker judges by itself
    throw error;
  }
}

export const instanceAdmission = admission(ServiceInstance, {
  name: 'instances.servicecatalog.k8s.io',
  failurePolicy: 'Fail',
  reads: CATALOG,
  mutate: (instance, { old, user, objects, namespace }) =>
    withUser(completed(instance, old, { objects, namespace }), old, user),
  validate: (instance, { old, objects, namespace }) =>
    instance.metadata.deletionTimestamp === undefined
      ? instanceProblem(instance, old, { objects, namespace })
      : undefined,
});

export const bindingAdmission = admission(ServiceBinding, {
  name: 'bindings.servicecatalog.k8s.io',
  failurePolicy: 'Fail',
  reads: CATALOG,
  mutate: (binding, { old, user }) => withUser(binding, old, user),
  validate: (binding, { objects, namespace, operation }) =>
    operation === 'CREATE' ? bindingProblem(binding, { objects, namespace }) : undefined,
});

export const clusterBrokerAdmission = admission(ClusterServiceBroker, {
  name: 'clusterbrokers.servicecatalog.k8s.io',
  failurePolicy: 'Fail',
  validate: ({ spec }) => restrictionProblem(spec, true),
});

export const brokerAdmission = admission(ServiceBroker, {
  name: 'brokers.servicecatalog.k8s.io',
  failurePolicy: 'Fail',
  validate: ({ spec }) => restrictionProblem(spec, false),
});
