import { badRequest, StatusError } from '../../api/index.ts';
import type { Revision } from '../../store/index.ts';

/** All these rules need from the objects. */
export interface RevisionSource {
  revision(): Promise<Revision>;
}

/** Reads a resourceVersion that a client sent; "" and "0" mean any. */
export function parseRevision(text: string, asBadRequest = true): Revision {
  if (text === '') return 0;
  const problem = revisionProblem(text);
  if (problem === undefined) return Number(text);
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
  throw asBadRequest ? badRequest(`invalid resource version: ${message}`) : new StatusError({ code: 500, message });
}

function revisionProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  if (BigInt(text) > 0xffff_ffff_ffff_ffffn) return `strconv.ParseUint: parsing ${quoted}: value out of range`;
  return undefined;
}

/** Refuses to answer from before `wanted`; the store is always at its newest, so only the future is refused. */
export async function atLeastRevision(source: RevisionSource, wanted: Revision): Promise<void> {
  if (wanted === 0) return;
  const current = await source.revision();
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
