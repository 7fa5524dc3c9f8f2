import { badRequest, methodNotAllowed } from '../../api/index.ts';
import type { Answer, Call, PathHandler } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';
import type { App } from '../../kit/index.ts';
import { controllerStates } from './controller-states.ts';
import type { RunRecords } from './run-records.ts';

const RUNS = '/keelson/runs';
const CONTROLLERS = '/keelson/controllers';

export interface InsightParts {
  readonly apps: () => readonly App[];
  readonly runs: RunRecords;
  readonly clock: Clock;
}

/**
 * Serves what the cluster's programs do: `/keelson/controllers`, with what waits in their queues, and `/keelson/runs?after=ID`, the runs of
 * their controllers with their causes, and those in progress. Who may get these paths is up to the authorizers, as for all paths.
 */
export class InsightPaths implements PathHandler {
  readonly #parts: InsightParts;

  constructor(parts: InsightParts) {
    this.#parts = parts;
  }

  handle({ request: { method, path, query } }: Call): Answer | undefined {
    if (path !== RUNS && path !== CONTROLLERS) return undefined;
    if (method !== 'GET') throw methodNotAllowed();
    const { apps, runs, clock } = this.#parts;
    if (path === CONTROLLERS) return json({ items: controllerStates(apps(), clock) });
    const after = query.get('after') || '0';
    if (!/^\d{1,15}$/.test(after)) throw badRequest(`after must be the id of a run, got ${JSON.stringify(after)}`);
    return json({ items: runs.list(Number(after)), underWay: runs.underWay });
  }
}

function json(value: unknown): Answer {
  return { type: 'bytes', code: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` };
}
