import type { NormalAnswer } from './normalize.ts';

/** One place where two answers to a step differ. */
export interface Difference {
  /** `status`, `headers.warning`, `body.items[0].metadata.name` … */
  readonly place: string;
  readonly want: unknown;
  readonly got: unknown;
}

/** Every place where an answer is not what was wanted, from status over headers to body. */
export function compareAnswers(want: NormalAnswer, got: NormalAnswer): Difference[] {
  const differences: Difference[] = [];
  for (const part of ['status', 'headers', 'form', 'body'] as const) compare(want[part], got[part], part, differences);
  return differences;
}

function compare(want: unknown, got: unknown, place: string, found: Difference[]): void {
  if (Array.isArray(want) && Array.isArray(got)) {
    for (let index = 0; index < Math.max(want.length, got.length); index += 1) {
      compare(want[index], got[index], `${place}[${index}]`, found);
    }
  } else if (isObject(want) && isObject(got)) {
    compareObjects(want, got, { place, found });
  } else if (want !== got) {
    found.push({ place, want, got });
  }
}

interface Where {
  readonly place: string;
  readonly found: Difference[];
}

function compareObjects(want: Members, got: Members, { place, found }: Where): void {
  const names = new Set([...Object.keys(want), ...Object.keys(got)]);
  for (const name of names) compare(want[name], got[name], `${place}.${name}`, found);
  const [wantOrder, gotOrder] = [Object.keys(want), Object.keys(got)].map((keys) => keys.join(' '));
  const hasSameNames = names.size === Object.keys(want).length && names.size === Object.keys(got).length;
  if (hasSameNames && wantOrder !== gotOrder) found.push({ place: `${place} (order)`, want: wantOrder, got: gotOrder });
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
