import { serviceUnavailable } from '../../api/index.ts';
import type { Answer, Call, PathHandler } from '../../apiserver/index.ts';
import { SCHEDULING_PREFIX } from '../scheduling-paths.ts';
import type { MainProcess } from './main-process.ts';

/** Passes requests on that are about all processes of a server, or about the programs in the main one. */
export class MainPaths implements PathHandler {
  readonly #main: MainProcess;

  constructor(main: MainProcess) {
    this.#main = main;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const { method, path } = call.request;
    if (method !== 'GET' || (path !== '/metrics' && !path.startsWith(SCHEDULING_PREFIX))) return undefined;
    const answer = await this.#main.request(path, call.request.header('accept') ?? '');
    if (answer === undefined) throw serviceUnavailable('the main process does not answer');
    const { status, text, contentType } = answer;
    return { type: 'bytes', code: status, contentType, body: text };
  }
}
