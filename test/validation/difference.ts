import type { Answer } from './answer.ts';
import type { Case } from './case.ts';

/** A case that is answered differently. */
export interface Difference {
  readonly played: Case;
  readonly kind: string;
  readonly real: Answer;
  readonly ours: Answer;
}

interface Cause {
  readonly field?: string;
  readonly message?: string;
}

/** What differs, in words that similar differences share: without indexes, values and names. */
export function signature({ real, ours }: Difference): string {
  if (real.code !== ours.code)
    return `code ${real.code} → ${ours.code}: ${generic(firstProblem(real.code >= 400 ? real : ours))}`;
  if (real.code < 400) {
    const place = firstPlace(real.body, ours.body, '');
    if (place !== undefined) return `object ${generic(place.path)}: ${short(place.real)} → ${short(place.ours)}`;
    return `warnings ${generic(JSON.stringify(real.warnings))} → ${generic(JSON.stringify(ours.warnings))}`;
  }
  const theirs = causesOf(real);
  const own = causesOf(ours);
  const missing = without(theirs, own);
  const extra = without(own, theirs);
  if (missing.length > 0 && extra.length > 0) return `cause ${generic(missing[0] ?? '')} → ${generic(extra[0] ?? '')}`;
  if (missing.length > 0) return `missing ${generic(missing[0] ?? '')}`;
  if (extra.length > 0) return `extra ${generic(extra[0] ?? '')}`;
  const index = theirs.findIndex((cause, at) => cause !== own[at]);
  if (index >= 0) return `order ${generic(theirs[index] ?? '')} before ${generic(own[index] ?? '')}`;
  const place = firstPlace(real.body, ours.body, '');
  return place === undefined
    ? 'warnings'
    : `status ${place.path}: ${generic(short(place.real))} → ${generic(short(place.ours))}`;
}

function causesOf({ body }: Answer): string[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly Cause[] };
  return causes.map(({ field = '', message = '' }) => `${field}: ${message}`);
}

function firstProblem(answer: Answer): string {
  return causesOf(answer)[0] ?? String(answer.body['message'] ?? '');
}

/** Of each text as often as the other list does not have it. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return texts.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

interface Place {
  readonly path: string;
  readonly real: unknown;
  readonly ours: unknown;
}

function firstPlace(real: unknown, ours: unknown, path: string): Place | undefined {
  if (JSON.stringify(real) === JSON.stringify(ours)) return undefined;
  if (!isObject(real) || !isObject(ours) || Array.isArray(real) !== Array.isArray(ours)) return { path, real, ours };
  for (const name of new Set([...Object.keys(real), ...Object.keys(ours)])) {
    const place = firstPlace(real[name], ours[name], path === '' ? name : `${path}.${name}`);
    if (place !== undefined) return place;
  }
  return { path: `${path} (order of members)`, real: Object.keys(real), ours: Object.keys(ours) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 200);
}

function generic(text: string): string {
  return text
    .replaceAll(/\[[^\]]{0,80}\]/g, '[*]')
    .replaceAll(/"(\\.|[^"\\])*"/g, '"…"')
    .replaceAll(/\b\d+\b/g, 'N')
    .slice(0, 300);
}
