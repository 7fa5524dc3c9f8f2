import { badRequest, notFound, methodNotAllowed } from '../../api/index.ts';
import { DurationError, parseDuration } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import type { RecentRequests } from './recent-requests.ts';
import { TRACES_PATH } from './trace-requests.ts';

/** Maximum time that a client can wait for the next request. */
const MAX_WAIT_MS = 30_000;

/**
 * Serves traces: `/keelson/requests` lists them, `?after=ID&wait=20s` waits for those after one, and `/keelson/requests/ID` returns one, by
 * its id or audit ID. Authorizers decide who may get these paths, as for all paths.
 */
export class TracePaths implements PathHandler {
  readonly #recent: RecentRequests;

  constructor(recent: RecentRequests) {
    this.#recent = recent;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const { path, query, signal } = call.request;
    if (path !== TRACES_PATH && !path.startsWith(`${TRACES_PATH}/`)) return undefined;
    if (call.request.method !== 'GET') throw methodNotAllowed();
    if (path !== TRACES_PATH) return this.#one(path.slice(TRACES_PATH.length + 1));
    const after = query.get('after') || '0';
    if (!/^\d{1,15}$/.test(after)) throw badRequest(`after must be the id of a request, got ${JSON.stringify(after)}`);
    const waitMs = Math.min(waitOf(query.get('wait') || '0s'), MAX_WAIT_MS);
    const items = waitMs === 0 ? this.#recent.list(after) : await this.#recent.next(after, { waitMs, signal });
    return json({ items });
  }

  #one(id: string): Answer {
    const found = this.#recent.find(id);
    if (found === undefined) throw notFound({ group: '', resource: 'requests' }, id);
    return json(found);
  }
}

function waitOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    if (!(cause instanceof DurationError)) throw cause;
    throw badRequest(`wait must be a duration such as 20s: ${cause.message}`, { cause });
  }
}

function json(value: unknown): Answer {
  return { type: 'bytes', code: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` };
}
