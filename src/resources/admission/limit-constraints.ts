import { type Quantity, quantityOf } from '../../api/index.ts';
import type { LimitRangeItem } from '../../api/types/core/v1.d.ts';
import { amount, type ResourceList } from '../core/resource-list.ts';

/** What is measured against limits: a container, a pod as a whole, or a claim. */
export interface Demand {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

const ZERO = quantityOf(0);
/** Above this, thousandths do not fit into 64 bits. */
const MAX_COUNTED_IN_MILLI = 9_223_372_036_854_775n;

/** Every way in which a demand breaks a limit, resource by resource in the order of their names. */
export function brokenLimits(item: LimitRangeItem, demand: Demand): string[] {
  return [
    ...each(item.min, (name, enforced) => belowMinimum(item.type, { name, enforced, ...of(demand, name) })),
    ...each(item.max, (name, enforced) => aboveMaximum(item.type, { name, enforced, ...of(demand, name) })),
    ...each(item.maxLimitRequestRatio, (name, enforced) =>
      aboveRatio(item.type, { name, enforced, ...of(demand, name) }),
    ),
  ];
}

/** The same for a claim, which has no limits of its own. */
export function brokenClaimLimits(item: LimitRangeItem, requests: ResourceList): string[] {
  const demand = { requests, limits: {} };
  return [
    ...each(item.min, (name, enforced) => belowMinimum(item.type, { name, enforced, ...of(demand, name) })),
    ...each(item.max, (name, enforced) => {
      const { request } = of(demand, name);
      const is = `maximum ${name} usage per ${item.type} is ${enforced.toString()}`;
      if (request === undefined) return `${is}.  No request is specified`;
      const [asked, , most] = counted(request, ZERO, enforced);
      return asked > most ? `${is}, but request is ${request.toString()}` : undefined;
    }),
  ];
}

interface Measured {
  readonly name: string;
  readonly enforced: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

function of({ requests, limits }: Demand, name: string): Pick<Measured, 'request' | 'limit'> {
  return { request: quantity(requests[name]), limit: quantity(limits[name]) };
}

function quantity(text: string | undefined): Quantity | undefined {
  return text === undefined ? undefined : amount(text);
}

function each(
  list: ResourceList | undefined,
  judge: (name: string, enforced: Quantity) => string | undefined,
): string[] {
  const names = Object.keys(list ?? {}).toSorted();
  return names.map((name) => judge(name, amount(list?.[name] ?? '0'))).filter((problem) => problem !== undefined);
}

/** All in thousandths, if they fit; else in whole units. */
function counted(request: Quantity, limit: Quantity, enforced: Quantity): readonly [bigint, bigint, bigint] {
  const all = [request, limit, enforced] as const;
  const scale = all.every((one) => one.scaledValue(0) <= MAX_COUNTED_IN_MILLI) ? -3 : 0;
  return [request.scaledValue(scale), limit.scaledValue(scale), enforced.scaledValue(scale)];
}

function belowMinimum(type: string, { name, enforced, request, limit }: Measured): string | undefined {
  const is = `minimum ${name} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${is}.  No request is specified`;
  const [asked, allowed, least] = counted(request, limit ?? ZERO, enforced);
  if (asked < least) return `${is}, but request is ${request.toString()}`;
  if (limit !== undefined && allowed < least) return `${is}, but limit is ${limit.toString()}`;
  return undefined;
}

function aboveMaximum(type: string, { name, enforced, request, limit }: Measured): string | undefined {
  const is = `maximum ${name} usage per ${type} is ${enforced.toString()}`;
  if (limit === undefined) return `${is}.  No limit is specified`;
  const [asked, allowed, most] = counted(request ?? ZERO, limit, enforced);
  if (allowed > most) return `${is}, but limit is ${limit.toString()}`;
  if (request !== undefined && asked > most) return `${is}, but request is ${request.toString()}`;
  return undefined;
}

function aboveRatio(type: string, { name, enforced, request, limit }: Measured): string | undefined {
  const is = `${name} max limit to request ratio per ${type} is ${enforced.toString()}`;
  const [asked, allowed] = counted(request ?? ZERO, limit ?? ZERO, enforced);
  if (asked === 0n) return `${is}, but no request is specified or request is 0`;
  if (allowed === 0n) return `${is}, but no limit is specified or limit is 0`;
  const ratio = Number(allowed) / Number(asked);
  const isFine = enforced.scaledValue(0) <= MAX_COUNTED_IN_MILLI;
  const isAbove = isFine ? ratio * 1000 > Number(enforced.scaledValue(-3)) : ratio > Number(enforced.scaledValue(0));
  return isAbove ? `${is}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
