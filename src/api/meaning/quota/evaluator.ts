import type { DeepReadonly } from '../../../base/index.ts';
import type { ResourceQuota } from '../../types/core/v1.d.ts';
import type { ObjectMeta } from '../../types/meta/v1.d.ts';
import { formatGroupResource } from '../../values/resource-names.ts';
import { amountsOf, type ResourceAmounts } from '../pod-resources.ts';
import { ONE } from './amounts.ts';
import { scopeRules, type ScopeRule } from './scopes.ts';

/** An object of a kind that a quota may count. */
export interface QuotaObject {
  readonly metadata?: DeepReadonly<ObjectMeta>;
}

/** The properties of a write that decide whether it may increase a quota's usage. */
export interface QuotaWrite {
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** The usage rules of one kind. */
export interface QuotaRules<T> {
  readonly group: string;
  readonly plural: string;
  /** Whether such writes can increase the usage. */
  handles(write: QuotaWrite): boolean;
  /** Whether a handled update can increase the usage; default: all can. */
  concerns?(write: QuotaWrite, object: T, old: T): boolean;
  /** Whether objects of this kind use the given resource of a quota. */
  measures(name: string): boolean;
  /** The usage of an object. */
  usage(object: T, nowMs: number): ResourceAmounts;
  /** Whether an object is in a scope; default: in none. */
  fits?(object: T, rule: ScopeRule): boolean;
  /** The problem of an object that does not state an amount that is counted. */
  missing?(object: T, names: ReadonlySet<string>): string | undefined;
  /** Whether an update reduces the usage, or moves it to other quotas. */
  setsFree?(object: T, old: T, nowMs: number): boolean;
}

/** The rules of a kind, for objects of any type. */
export type QuotaEvaluator = QuotaRules<QuotaObject>;

/** The one place where a kind's type is erased: evaluators only get objects of their kind. */
export function evaluatorOf<T extends QuotaObject>(rules: QuotaRules<T>): QuotaEvaluator {
  return rules as QuotaRules<unknown> as QuotaEvaluator;
}

/** `count/deployments.apps`: the resource that counts the objects of a kind. */
export function countName(group: string, plural: string): string {
  return `count/${formatGroupResource({ group, resource: plural })}`;
}

/** Counts objects, also under an older alias if there is one. */
export function objectCount(group: string, plural: string, alias?: string): QuotaEvaluator {
  const names = [countName(group, plural), ...(alias === undefined ? [] : [alias])];
  const usage = new Map(names.map((name) => [name, ONE]));
  return {
    group,
    plural,
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    measures: (name) => names.includes(name),
    usage: () => usage,
  };
}

/** Whether an object counts for a quota: it uses one of its resources, and all scopes match. */
export function countsFor(quota: DeepReadonly<ResourceQuota>, object: QuotaObject, evaluator: QuotaEvaluator): boolean {
  const hard = Object.keys(quota.status?.hard ?? {});
  return hard.some((name) => evaluator.measures(name)) && isInScopes(quota, object, evaluator);
}

function isInScopes(quota: DeepReadonly<ResourceQuota>, object: QuotaObject, { fits }: QuotaEvaluator): boolean {
  return scopeRules(quota).every((rule) => fits?.(object, rule) === true);
}

/** The total usage of the objects of one kind, limited to the resources in the quota's spec. */
export function usageOf(
  quota: DeepReadonly<ResourceQuota>,
  objects: Iterable<QuotaObject>,
  { evaluator, nowMs }: { readonly evaluator: QuotaEvaluator; readonly nowMs: number },
): ResourceAmounts {
  const names = Object.keys(quota.spec?.hard ?? {}).filter((name) => evaluator.measures(name));
  const total = amountsOf(Object.fromEntries(names.map((name) => [name, '0'])));
  for (const object of objects) {
    if (!isInScopes(quota, object, evaluator)) continue;
    const usage = evaluator.usage(object, nowMs);
    for (const name of names) {
      const amount = usage.get(name);
      const sum = total.get(name);
      if (amount !== undefined && sum !== undefined) total.set(name, sum.add(amount));
    }
  }
  return total;
}
