import { admission, type AdmissionContext, type Admitted } from 'keelson';
import { ParameterSchemaError, parameterProblems } from 'keelson/broker';
import {
  ClusterServiceClass,
  ClusterServicePlan,
  ServiceBinding,
  ServiceClass,
  ServiceInstance,
  ServicePlan,
} from './kinds.ts';
import { type Read, referenceProblem, resolve } from './resolve.ts';

/** What of the catalog's kinds is there. */
export interface Reading {
  readonly objects: Read;
}

type User = AdmissionContext<ServiceInstance>['user'];

/** The kinds that have to be read for it. */
export const CATALOG = [ClusterServiceClass, ClusterServicePlan, ServiceClass, ServicePlan, ServiceInstance] as const;

/** Who asks, as the spec notes it for brokers. */
export function userInfoOf({ name, uid = '', groups, extra }: User) {
  const copied = Object.fromEntries(Object.entries(extra ?? {}).map(([key, values]) => [key, [...values]]));
  return { username: name, uid, groups: [...groups], ...(extra === undefined ? {} : { extra: copied }) };
}

/** A change of the spec is the user's who makes it; anything else leaves what is there. */
export function withUser<T extends { readonly spec: object }>(object: T, old: T | undefined, user: User): T {
  const { userInfo: _, ...spec } = object.spec as { readonly userInfo?: unknown };
  const { userInfo: before, ...oldSpec } = (old?.spec ?? {}) as { readonly userInfo?: unknown };
  const isSame = old !== undefined && JSON.stringify(spec) === JSON.stringify(oldSpec);
  return { ...object, spec: { ...spec, userInfo: isSame ? before : userInfoOf(user) } };
}

/** Why an instance is refused. */
export function instanceProblem(
  instance: Admitted<ServiceInstance>,
  old: Admitted<ServiceInstance> | undefined,
  place: Reading & { readonly namespace: string },
): string | undefined {
  const problem = referenceProblem(instance.spec);
  if (problem !== undefined) return problem;
  const wanted = resolve(instance.spec, place.namespace, place.objects);
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
  mutate: (instance, { old, user }) => withUser(instance, old, user),
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
