import { formatGroupResource, type GroupResource } from '../../api/client.ts';
import { messageOf } from '../../base/index.ts';
import { StatusError } from '../../client/index.ts';

/** The request that failed. */
export interface Asked extends GroupResource {
  readonly name?: string;
}

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [503, 'the server is currently unable to handle the request'],
  [504, 'the server was unable to return a response in the time allotted, but may still be processing the request'],
]);

/**
 * Why a request failed, in the words of upstream's events and conditions; errors without a Status name what was
 * requested.
 */
export function requestProblem(error: unknown, { name, ...resource }: Asked): string {
  if (!(error instanceof StatusError)) return messageOf(error);
  const { code, message, details } = error.status;
  const meaning = MEANINGS.get(code ?? 0);
  if (meaning === undefined || details?.kind !== undefined) return message ?? '';
  return `${meaning} (get ${formatGroupResource(resource)}${name === undefined ? '' : ` ${name}`})`;
}
