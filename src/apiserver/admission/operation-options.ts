import type { Query } from '../request/query.ts';
import type { Preconditions } from '../resource.ts';

/** The options of an operation as an object of `meta.k8s.io/v1`; members that the client left out are absent. */
export interface OperationOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
}

/** The options of a create or update; a patch counts as the one of the two that it turns out to be. */
export function optionsOfWrite(query: Query, operation: 'CREATE' | 'UPDATE' | 'DELETE'): OperationOptions {
  return stated({
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    dryRun: query.has('dryRun') ? query.all('dryRun') : undefined,
    fieldManager: query.get('fieldManager') || undefined,
    fieldValidation: query.get('fieldValidation') || undefined,
  });
}

export function optionsOfDelete(options: Omit<OperationOptions, 'kind' | 'apiVersion' | 'dryRun'>, isDryRun: boolean) {
  return stated({
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    gracePeriodSeconds: options.gracePeriodSeconds,
    preconditions: options.preconditions,
    orphanDependents: options.orphanDependents,
    propagationPolicy: options.propagationPolicy,
    dryRun: isDryRun ? ['All'] : undefined,
  });
}

function stated(options: { readonly [Name in keyof OperationOptions]: OperationOptions[Name] | undefined }) {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as OperationOptions;
}
