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

/** A write, as far as it decides whether it may use more of a quota. */
export interface QuotaWrite {
  readonly operation: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** What one kind of objects uses of quotas. */
export interface QuotaRules<T> {
  readonly group: string;
  readonly plural: string;
  /** Whether such writes can use more. */
  handles(write: QuotaWrite): boolean;
  /** Whether a change does, of those that are handled; absent: all do. */
  concerns?(write: QuotaWrite, object: T, old: T): boolean;
  /** Which of the resources of a quota it is that such objects use. */
  measures(name: string): boolean;
  /** What an object uses. */
  usage(object: T, nowMs: number): ResourceAmounts;
  /** Whether an object is in a scope; absent: it is in none. */
  fits?(object: T, rule: ScopeRule): boolean;
  /** What is wrong with an object that does not state what is counted. */
  missing?(object: T, names: ReadonlySet<string>): string | undefined;
  /** Whether an object uses less, or counts for other quotas, after a change. */
  setsFree?(object: T, old: T, nowMs: number): boolean;
}

/** The rules of a kind, for objects of any type. */
export type QuotaEvaluator = QuotaRules<QuotaObject>;

/** The one place where a kind's own type is put aside: evaluators are asked about objects of their kind only. */
export function evaluatorOf<T extends QuotaObject>(rules: QuotaRules<T>): QuotaEvaluator {
  return rules as QuotaRules<unknown> as QuotaEvaluator;
}

/** `count/deployments.apps`: the resource that is the number of objects of a kind. */
export function countName(group: string, plural: string): string {
  return `count/${formatGroupResource({ group, resource: plural })}`;
}

/** Counts objects, under a name from before there was one for every kind as well. */
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

/** Whether an object counts for a quota: some resource of it is measured, and all scopes fit. */
export function countsFor(quota: DeepReadonly<ResourceQuota>, object: QuotaObject, evaluator: QuotaEvaluator): boolean {
  const hard = Object.keys(quota.status?.hard ?? {});
  return hard.some((name) => evaluator.measures(name)) && isInScopes(quota, object, evaluator);
}

function isInScopes(quota: DeepReadonly<ResourceQuota>, object: QuotaObject, { fits }: QuotaEvaluator): boolean {
  return scopeRules(quota).every((rule) => fits?.(object, rule) === true);
}

/** The sum of what the objects of one kind use, of the resources that a quota names in its spec. */
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
