import { badRequest, parseGoInteger, quoteGo, StatusError, ValueError } from '../../api/index.ts';
import type { ReadOptions, Revision } from '../../store/index.ts';

/** What these rules need from the objects. */
export interface RevisionSource {
  revision(options?: Pick<ReadOptions, 'notOlderThan'>): Promise<Revision>;
}

/** Parses a client's resourceVersion; "" and "0" mean any. */
export function parseRevision(text: string, asBadRequest = true): Revision {
  if (text === '') return 0;
  const revision = parseGoInteger(text, 'ParseUint');
  if (!(revision instanceof ValueError)) return Number(revision);
  const message = `resourceVersion: Invalid value: ${quoteGo(text)}: ${revision.message}`;
  throw asBadRequest ? badRequest(`invalid resource version: ${message}`) : new StatusError({ code: 500, message });
}

/** Makes sure that the answer is not older than `wanted`; a replica's state is accepted if it is recent enough. */
export async function atLeastRevision(source: RevisionSource, wanted: Revision): Promise<void> {
  if (wanted === 0) return;
  const current = await source.revision({ notOlderThan: wanted });
  if (wanted > current) throw tooLargeRevision(wanted, current);
}

export function tooLargeRevision(wanted: Revision, current: Revision): StatusError {
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}
