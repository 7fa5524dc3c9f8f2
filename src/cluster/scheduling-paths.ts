import { methodNotAllowed, notFound, type StatusError } from '../api/index.ts';
import type { Answer, Call, PathHandler } from '../apiserver/index.ts';
import type { HealthAnswer, HealthQuestion } from '../kit/index.ts';
import type { SchedulingAttempts } from '../scheduler/index.ts';

export const SCHEDULING_PREFIX = '/keelson/scheduling/';

/**
 * Serves `/keelson/scheduling/NAMESPACE/NAME`, the last tries to find a node for a pod, and `/keelson/scheduling`, the last try of each of
 * the pods that were tried last, newest first. Who may get these paths is up to the
 * authorizers, as for all paths.
 */
export class SchedulingPaths implements PathHandler {
  readonly #attempts: SchedulingAttempts;

  constructor(attempts: SchedulingAttempts) {
    this.#attempts = attempts;
  }

  async handle({ request: { method, path } }: Call): Promise<Answer | undefined> {
    const isList = path === SCHEDULING_PREFIX.slice(0, -1);
    if (!isList && !path.startsWith(SCHEDULING_PREFIX)) return undefined;
    if (method !== 'GET') throw methodNotAllowed();
    if (isList) return { type: 'bytes', code: 200, contentType: 'application/json', body: recentText(this.#attempts) };
    return { type: 'bytes', code: 200, contentType: 'application/json', body: attemptsText(this.#attempts, path) };
  }
}

const MAX_RECENT = 100;

function recentText(attempts: SchedulingAttempts): string {
  const items = attempts.recent(MAX_RECENT).map(([key, attempt]) => {
    const slash = key.indexOf('/');
    return { namespace: key.slice(0, slash), pod: key.slice(slash + 1), ...attempt };
  });
  return `${JSON.stringify({ items })}\n`;
}

/** The same on the port of a scheduler that runs apart. */
export function answerAttempts(
  attempts: SchedulingAttempts,
): (question: Pick<HealthQuestion, 'method' | 'path'>) => HealthAnswer | undefined {
  const contentType = 'application/json';
  return ({ method, path }) => {
    if (!path.startsWith(SCHEDULING_PREFIX) || (method !== 'GET' && method !== 'HEAD')) return undefined;
    try {
      return { status: 200, text: attemptsText(attempts, path), contentType };
    } catch (error) {
      const { status } = error as StatusError;
      return { status: status.code ?? 500, text: `${JSON.stringify(status)}\n`, contentType };
    }
  };
}

function attemptsText(attempts: SchedulingAttempts, path: string): string {
  const key = path.slice(SCHEDULING_PREFIX.length);
  const items = attempts.of(key);
  if (items.length === 0) throw notFound({ group: '', resource: 'attempts' }, key);
  return `${JSON.stringify({ items })}\n`;
}
