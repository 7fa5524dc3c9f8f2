import { invalidValue } from '../api/index.ts';
import type { ApiObject, FieldError } from '../api/index.ts';

const STANDARD = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Groups whose objects are checked no further than custom ones. */
const LENIENT_GROUPS = new Set(['admissionregistration.k8s.io', 'apiextensions.k8s.io']);

/** A finalizer is one of the system's own, or says whose it is. */
export function checkFinalizerNames({ metadata }: ApiObject, { group }: { readonly group: string }): FieldError[] {
  if (metadata.finalizers === undefined || LENIENT_GROUPS.has(group)) return [];
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return metadata.finalizers.flatMap((name, index) =>
    name.includes('/') || STANDARD.has(name) ? [] : [invalidValue(`metadata.finalizers[${index}]`, name, detail)],
  );
}
