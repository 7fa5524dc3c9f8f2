import { StatusError } from '../../../api/index.ts';
import {
  addAmounts,
  amountsOf,
  amountTexts,
  countsFor,
  describeAmounts,
  increaseOfAmounts,
  nonZeroAmounts,
  pickAmounts,
  type QuotaEvaluator,
  type ResourceAmounts,
  scopeRules,
  type ScopeRule,
} from '../../../api/meaning/index.ts';
import type { ResourceQuota } from '../../../api/types/core/v1.d.ts';
import type { AdmissionAttributes } from '../../../apiserver/index.ts';
import { compareUtf8, type DeepReadonly } from '../../../base/index.ts';
import type { Whole } from '../../kind.ts';
import { refusal } from '../refusal.ts';
import type { LimitedResource } from './resource-quota-configuration.ts';

export type Quota = DeepReadonly<Whole<ResourceQuota>>;

export interface CheckParts {
  readonly evaluator: QuotaEvaluator;
  readonly limited: readonly LimitedResource[];
  readonly nowMs: number;
}

/** The quotas after the request; throws if it would exceed one of them. */
export function checkRequest(
  quotas: readonly Quota[],
  request: AdmissionAttributes,
  parts: CheckParts,
): readonly Quota[] {
  const { evaluator, nowMs } = parts;
  const { object, old } = request;
  if (object === undefined) return quotas;
  const relevant = new Set(quotas.filter((quota) => countsFor(quota, object, evaluator)));
  for (const quota of relevant) checkStated(quota, request, evaluator);
  const usage = evaluator.usage(withNamespace(object, request.namespace), nowMs);
  refuseNegative(usage, request);
  const before = old?.metadata.resourceVersion === undefined ? undefined : evaluator.usage(old, nowMs);
  const increase = before === undefined ? usage : increaseOfAmounts(usage, before);
  const wasCounted = (quota: Quota): boolean =>
    old !== undefined && before !== undefined && countsFor(quota, old, evaluator);
  const deltas = new Map(
    [...relevant]
      .map((quota) => [quota, nonZeroAmounts(wasCounted(quota) ? increase : usage)] as const)
      .filter(([, delta]) => delta.size > 0),
  );
  if (relevant.size > 0 ? deltas.size === 0 : nonZeroAmounts(increase).size === 0) return quotas;
  checkCovered(quotas, request, { ...parts, relevant, usage });
  return quotas.map((quota) => {
    const delta = deltas.get(quota);
    return delta === undefined ? quota : charged(quota, delta, request);
  });
}

type SomeObject = NonNullable<AdmissionAttributes['object']>;

function withNamespace(object: SomeObject, namespace: string): SomeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Objects must state the amounts that are counted, and a quota must have been counted before it can be used. */
function checkStated(quota: Quota, request: AdmissionAttributes, evaluator: QuotaEvaluator): void {
  const { hard = {}, used = {} } = quota.status;
  const names = Object.keys(hard).filter((name) => evaluator.measures(name));
  const problem = request.object === undefined ? undefined : evaluator.missing?.(request.object, new Set(names));
  if (problem !== undefined) throw refusal(request, `failed quota: ${nameOf(quota)}: ${problem}`);
  if (names.some((name) => used[name] === undefined))
    throw refusal(
      request,
      `status unknown for quota: ${nameOf(quota)}, resources: ${names.sort(compareUtf8).join(',')}`,
    );
}

function refuseNegative(usage: ResourceAmounts, request: AdmissionAttributes): void {
  const negative = [...usage].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
  if (negative.length === 0) return;
  throw refusal(request, `quota usage is negative for resource(s): ${negative.sort(compareUtf8).join(',')}`);
}

interface Covering extends CheckParts {
  readonly relevant: ReadonlySet<Quota>;
  readonly usage: ResourceAmounts;
}

/** Requires a quota for what the configuration limits. */
function checkCovered(quotas: readonly Quota[], request: AdmissionAttributes, covering: Covering): void {
  const { evaluator, limited, relevant, usage } = covering;
  const { group, plural } = request.resource;
  const parts = limited
    .filter(({ apiGroup = '', resource }) => apiGroup === group && resource === plural)
    .flatMap(({ matchContains = [] }) => matchContains);
  const bounded = new Set([...relevant].flatMap(({ status }) => Object.keys(status.hard ?? {})));
  const unbounded = [...usage]
    .filter(([name, amount]) => amount.sign > 0 && parts.some((part) => name.includes(part)))
    .map(([name]) => name)
    .filter((name) => !bounded.has(name) || !evaluator.measures(name));
  if (unbounded.length > 0)
    throw refusal(request, `insufficient quota to consume: ${unbounded.sort(compareUtf8).join(',')}`);
  const fitting = (rules: readonly ScopeRule[]): ScopeRule[] => rules.filter((rule) => isIn(rule, request, evaluator));
  const covered = new Set(quotas.flatMap((quota) => fitting(scopeRules(quota))).map(({ scopeName }) => scopeName));
  const open = limited
    .flatMap(({ matchScopes = [] }) => fitting(matchScopes))
    .filter(({ scopeName }) => !covered.has(scopeName));
  if (open.length === 0) return;
  const texts = open.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`);
  throw new StatusError({ code: 500, message: `insufficient quota to match these scopes: [${texts.join(' ')}]` });
}

function isIn(rule: ScopeRule, { object }: AdmissionAttributes, { fits }: QuotaEvaluator): boolean {
  return object !== undefined && fits?.(object, rule) === true;
}

/** The quota with the request's usage added, as far as it covers it. */
function charged(quota: Quota, delta: ResourceAmounts, request: AdmissionAttributes): Quota {
  const hard = amountsOf(quota.status.hard);
  const used = amountsOf(quota.status.used);
  const requested = pickAmounts(delta, new Set(hard.keys()));
  const total = addAmounts(used, requested);
  const exceeded = new Set(
    [...requested.keys()].filter((name) => {
      const bound = hard.get(name);
      return bound !== undefined && (total.get(name)?.compare(bound) ?? 0) > 0;
    }),
  );
  if (exceeded.size > 0 && request.subresource !== 'status') {
    const said = (amounts: ResourceAmounts): string => describeAmounts(pickAmounts(amounts, exceeded));
    throw refusal(
      request,
      `exceeded quota: ${nameOf(quota)}, requested: ${said(requested)}, used: ${said(used)}, limited: ${said(hard)}`,
    );
  }
  return { ...quota, status: { ...quota.status, used: amountTexts(total) } };
}

function nameOf({ metadata }: Quota): string {
  return metadata.name ?? '';
}
