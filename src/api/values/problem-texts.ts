/** The problems of a value, in Kubernetes' words; empty if there are none. */
export type Problems = readonly string[];

/** The result of every passed check, so that passing allocates nothing. */
export const NO_PROBLEMS: Problems = Object.freeze([]);

/** Kubernetes counts bytes, but its older checks say characters. */
export type LengthUnit = 'characters' | 'bytes';

export function maxLengthProblem(limit: number, unit: LengthUnit): string {
  return `must be no more than ${limit} ${unit}`;
}

/** The end of most rules about names. */
export const ENDS_RULE = 'and must start and end with an alphanumeric character';

export const EMPTY_PROBLEM = 'must be non-empty';

export function rangeProblem(lowest: number, highest: number): string {
  return `must be between ${lowest} and ${highest}, inclusive`;
}

/** `"<rule> (e.g. 'a',  or 'b', regex used for validation is '<pattern>')"`; the two spaces before "or" are upstream's. */
export function patternProblem(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (${shown === '' ? '' : `e.g. ${shown}`}regex used for validation is '${pattern}')`;
}

/** Whether `value` takes more than `limit` bytes of UTF-8. */
export function exceedsBytes(value: string, limit: number): boolean {
  if (value.length > limit) return true;
  return value.length * 3 > limit && Buffer.byteLength(value, 'utf8') > limit;
}
