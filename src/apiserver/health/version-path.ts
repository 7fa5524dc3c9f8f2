import { methodNotAllowed } from '../../api/index.ts';
import { takesJson } from '../answers/accept.ts';
import { noRouteButJson } from '../answers/not-acceptable.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';

/** The content of `/version`; the names are Kubernetes'. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export class VersionPath implements PathHandler {
  readonly #body: string;

  constructor(info: VersionInfo) {
    this.#body = JSON.stringify(info, undefined, 2);
  }

  handle(call: Call): Answer | undefined {
    if (call.request.path !== '/version' && call.request.path !== '/version/') return undefined;
    if (call.request.method !== 'GET' && call.request.method !== 'HEAD') throw methodNotAllowed();
    if (!takesJson(call.request.header('accept') ?? '')) throw noRouteButJson();
    return { type: 'bytes', code: 200, contentType: 'application/json', body: this.#body };
  }
}
