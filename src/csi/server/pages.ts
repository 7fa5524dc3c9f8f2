import { GrpcError } from '../../wire/grpc/index.ts';

export interface PageRequest {
  readonly maxEntries?: number;
  readonly startingToken?: string;
}

const TOKEN = /^after:(.+)$/;

/** One page of entries that are in the order of their ids. The token names the last id of the page, so deletions in between lose nothing. */
export function pageOf<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  { maxEntries = 0, startingToken = '' }: PageRequest,
): { readonly page: readonly Entry[]; readonly nextToken: string } {
  if (maxEntries < 0) throw new GrpcError('INVALID_ARGUMENT', `max_entries must not be negative: ${maxEntries}`);
  const after = startingToken === '' ? '' : TOKEN.exec(startingToken)?.[1];
  if (after === undefined) throw new GrpcError('ABORTED', `Not a token of a list: "${startingToken}"`);
  const rest = after === '' ? entries : entries.filter(({ id }) => id > after);
  const page = maxEntries === 0 ? rest : rest.slice(0, maxEntries);
  const last = page.at(-1);
  return { page, nextToken: last === undefined || page.length === rest.length ? '' : `after:${last.id}` };
}
