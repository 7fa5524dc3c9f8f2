import { goText, goType } from './go-value-text.ts';

/** The status of a failed strategic merge patch: malformed (400), not applicable (422), or an unexpected failure (500). */
export type StrategicMergeCode = 400 | 422 | 500;

/** A strategic merge patch that does not apply, in Kubernetes' words. */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
  readonly code: StrategicMergeCode;

  constructor(message: string, code: StrategicMergeCode = 500) {
    super(message);
    this.code = code;
  }
}

export function badFormat(what: 'primitive list' | 'retainKeys' | 'setElementOrder list'): StrategicMergeError {
  return new StrategicMergeError(`invalid patch format of ${what}`, 400);
}

export function noListOfLists(): StrategicMergeError {
  return new StrategicMergeError('lists of lists are not supported', 422);
}

export function noMergeKey(item: unknown, mergeKey: string): StrategicMergeError {
  return new StrategicMergeError(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function badType(expected: unknown, actual: unknown): StrategicMergeError {
  const received = actual === null || actual === undefined ? '%!s(<nil>)' : goType(actual);
  return new StrategicMergeError(`expected a ${goType(expected)}, but received a ${received}`);
}

export function badDirective(directive: unknown, patch: unknown): StrategicMergeError {
  const text = typeof directive === 'string' ? directive : `%!s(${goType(directive)}=${goText(directive)})`;
  return new StrategicMergeError(`unknown patch type: ${text} in map: ${goText(patch)}`);
}
