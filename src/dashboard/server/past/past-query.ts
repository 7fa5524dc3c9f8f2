import { badRequest } from '../../../api/client.ts';
import type { ServedKind } from '../../../client/index.ts';
import type { ChangeLog } from './change-log.ts';

/** A revision that a query names by its number or by a time. */
export function revisionOf(query: URLSearchParams, name: string, log: ChangeLog): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw badRequest(`${name} must be a revision or a time, got ${JSON.stringify(text)}`);
  return name === 'from' ? log.revisionAt(ms - 1) + 1 : log.revisionAt(ms);
}

/** A number from 1 on, cut to the largest that is allowed. */
export function numberOf(
  query: URLSearchParams,
  name: string,
  range: { readonly most: number; readonly default: number },
): number {
  const text = query.get(name) ?? '';
  if (text === '') return range.default;
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1) return Math.min(Number(text), range.most);
  throw badRequest(`${name} must be a number from 1 to ${range.most}, got ${JSON.stringify(text)}`);
}

/** `pods`, `deployments.apps`. */
export function resourceName({ group, plural }: Pick<ServedKind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
