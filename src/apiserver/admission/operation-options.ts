import type { Query } from '../request/query.ts';

/** The options of an operation as an object of `meta.k8s.io/v1`; members that the client left out are absent. */
export interface OperationOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly [member: string]: unknown;
}

export function operationOptions(kind: OperationOptions['kind'], members: object): OperationOptions {
  const stated = Object.entries(members).filter(([, value]) => value !== undefined);
  return { kind, apiVersion: 'meta.k8s.io/v1', ...Object.fromEntries(stated) };
}

/** The options of a create or update; a patch counts as the one of the two that it turns out to be. */
export function optionsOfWrite(query: Query, kind: 'CreateOptions' | 'UpdateOptions'): OperationOptions {
  return operationOptions(kind, {
    dryRun: query.has('dryRun') ? query.all('dryRun') : undefined,
    fieldManager: query.get('fieldManager') || undefined,
    fieldValidation: query.get('fieldValidation') || undefined,
  });
}
