import { methodNotAllowed, notFound } from '../api/index.ts';
import type { Answer, Call, PathHandler } from '../apiserver/index.ts';
import type { SchedulingAttempts } from '../scheduler/index.ts';

const PREFIX = '/keelson/scheduling/';

/**
 * Serves `/keelson/scheduling/NAMESPACE/NAME`: the last tries to find a node for a pod. Who may get these paths is up to the
 * authorizers, as for all paths.
 */
export class SchedulingPaths implements PathHandler {
  readonly #attempts: SchedulingAttempts;

  constructor(attempts: SchedulingAttempts) {
    this.#attempts = attempts;
  }

  async handle({ method, path }: Call): Promise<Answer | undefined> {
    if (!path.startsWith(PREFIX)) return undefined;
    if (method !== 'GET') throw methodNotAllowed();
    const key = path.slice(PREFIX.length);
    const items = this.#attempts.of(key);
    if (items.length === 0) throw notFound({ group: '', resource: 'attempts' }, key);
    return { type: 'bytes', code: 200, contentType: 'application/json', body: `${JSON.stringify({ items })}\n` };
  }
}
