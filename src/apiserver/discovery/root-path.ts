import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import type { ServedApi } from './served-api.ts';

const FIXED = [
  '/api',
  '/apis',
  '/apis/',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/readyz',
  '/version',
];

/** `/` and `/index.html`: the paths there are. */
export class RootPath implements PathHandler {
  readonly #served: ServedApi;

  constructor(served: ServedApi) {
    this.#served = served;
  }

  handle(call: Call): Answer | undefined {
    if ((call.path !== '/' && call.path !== '/index.html') || call.method !== 'GET') return undefined;
    const paths = new Set(FIXED);
    for (const { group, version } of this.#served.groups().flatMap(({ versions }) => versions)) {
      if (group !== '') paths.add(`/apis/${group}`);
      paths.add(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    }
    const body = JSON.stringify({ paths: [...paths].sort() }, undefined, 2);
    return { type: 'bytes', code: 200, contentType: 'application/json', body };
  }
}
