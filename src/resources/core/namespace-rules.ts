import { coreFinalizerNameProblems, invalidValue } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

export function checkNamespace({ spec }: Whole<Namespace>): FieldError[] {
  return (spec.finalizers ?? []).flatMap((name) =>
    coreFinalizerNameProblems(name).map((problem) => invalidValue('spec.finalizers', name, problem)),
  );
}

/** The phase says whether the namespace is going away, and only deleting it makes it go. */
export function checkNamespaceStatus({ metadata, status }: Whole<Namespace>): FieldError[] {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const expected = isGoing ? 'Terminating' : 'Active';
  if (status.phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isGoing ? 'not ' : ''}empty`;
  return [invalidValue('status.Phase', status.phase ?? '', detail)];
}

export function checkFinalize({ spec }: Whole<Namespace>): FieldError[] {
  return (spec.finalizers ?? []).flatMap((name, index) =>
    coreFinalizerNameProblems(name).map((problem) => invalidValue(`spec.finalizers[${index}]`, name, problem)),
  );
}
