import { StatusError } from '../status.ts';

/** The cause in the server's refusal to create objects in a namespace that is being deleted. */
export const NAMESPACE_TERMINATING = 'NamespaceTerminating';

/** Whether the server refused because the namespace is being deleted: no creation in it will succeed. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === NAMESPACE_TERMINATING) ?? false;
}
