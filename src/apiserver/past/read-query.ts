import { badRequest } from '../../api/index.ts';
import type { PastRevisions } from '../../store/index.ts';
import type { Call } from '../request/call.ts';
import { revisionAt } from './moments.ts';

type Query = Call['request']['query'];

/** A revision that a query names by its number or by a time. */
export function revisionOf(query: Query, name: string, past: PastRevisions): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  const revision = positionOf(text);
  if (revision !== undefined) return revision;
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return name === 'from' ? revisionAt(past, ms - 1) + 1 : revisionAt(past, ms);
  throw badRequest(`${name} must be a revision or a time, got ${JSON.stringify(text)}`);
}

/** A revision as a number; undefined for text that is none. */
export function positionOf(text: string | null | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined;
}

/** A number from 1 on, cut to the largest that is allowed. */
export function numberOf(
  query: Query,
  name: string,
  range: { readonly most: number; readonly default: number },
): number {
  const text = query.get(name) ?? '';
  if (text === '') return range.default;
  const value = positionOf(text);
  if (value !== undefined && value >= 1) return Math.min(value, range.most);
  throw badRequest(`${name} must be a number from 1 to ${range.most}, got ${JSON.stringify(text)}`);
}
