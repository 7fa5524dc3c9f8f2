/** The object waits until its dependents are gone (foreground deletion). */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** The object waits until its dependents no longer refer to it. */
export const ORPHAN_FINALIZER = 'orphan';

export function hasFinalizer(metadata: { readonly finalizers?: readonly string[] }, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}
