import { StatusError } from '../../client/index.ts';

/** Whether the server refused because the namespace is going away: no creation in it will ever succeed. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
