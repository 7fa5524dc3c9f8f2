import { jsonAnswer } from './json-answer.ts';
import { badRequest, internalError, methodNotAllowed, pageNotFound, Query, StatusError } from '../../api/index.ts';
import { type Clock, type Logger, RandomUidSource, type Random, type UidSource } from '../../base/index.ts';
import { type ApiAnswer, type ApiCall, type ApiTarget, resourceTarget } from './api-call.ts';
import type { Api } from './api-resource.ts';
import type { ApiUser } from './api-storage.ts';
import type { AccessQuestion } from './delegated-authorization.ts';
import { deleteCollection, deleteOne } from './delete-verbs.ts';
import { ApiDocuments, type ServedVersion } from './documents.ts';
import { patch } from './patch-verb.ts';
import { get, list } from './read-verbs.ts';
import { formOf } from './representation.ts';
import { servedKind } from './served-kind.ts';
import { Tables } from './table.ts';
import type { VerbContext } from './verb-context.ts';
import { watch } from './watch-verb.ts';
import { create, update } from './write-verbs.ts';

export interface ApiHandlerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly identify: (call: ApiCall) => Promise<ApiUser>;
  readonly authorize: (question: AccessQuestion) => Promise<void>;
  readonly ensureNamespace: VerbContext['ensureNamespace'];
}

const VERBS: Readonly<Record<string, (context: VerbContext) => Promise<ApiAnswer>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);
const HEALTHY: ApiAnswer = {
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'ok',
};
/** The priorities of groups from CustomResourceDefinitions, so that groups made with the kit stand among them. */
export const PRIORITY = { group: 1000, version: 100 };

/** Answers requests for APIs: authenticates, authorizes, and calls the verb. */
export class ApiHandler {
  readonly #options: ApiHandlerOptions;
  readonly #versions: readonly ServedVersion[];
  readonly #tables = new Map<string, Tables>();
  readonly #documents: ApiDocuments;
  readonly #uids: UidSource;

  constructor(apis: readonly Api[], options: ApiHandlerOptions) {
    this.#options = options;
    this.#uids = new RandomUidSource(options.random);
    this.#versions = apis.map((each) => ({
      group: each.group,
      version: each.version,
      priority: PRIORITY,
      api: each,
      kinds: each.resources.map(servedKind),
    }));
    for (const { kinds, api } of this.#versions)
      for (const kind of kinds) this.#tables.set(`${api.apiVersion}/${kind.plural}`, new Tables(kind));
    this.#documents = new ApiDocuments(this.#versions);
  }

  async answer(call: ApiCall): Promise<ApiAnswer> {
    try {
      return await this.#answer(call);
    } catch (error) {
      const failure = error instanceof StatusError ? error : internalError(error);
      if (failure !== error && !call.signal.aborted) {
        this.#options.log.error('API request failed', { method: call.method, target: call.target, error });
      }
      return jsonAnswer(failure.code, failure.status);
    }
  }

  async #answer(call: ApiCall): Promise<ApiAnswer> {
    const { path, query, segments } = readTarget(call.target);
    if (HEALTH.has(path)) return HEALTHY;
    const user = await this.#options.identify(call);
    const target: ApiTarget = { user, method: call.method, path, query, segments };
    const [root, group, version] = segments;
    const served = this.#versions.find((each) => each.group === group && each.version === version);
    const resource = root === 'apis' && served !== undefined ? resourceTarget(target) : undefined;
    if (served === undefined || resource === undefined) {
      await this.#options.authorize({ target });
      if (call.method !== 'GET' && call.method !== 'HEAD') throw methodNotAllowed();
      const answer = await this.#documents.answer(call, path);
      if (answer === undefined) throw pageNotFound();
      return answer;
    }
    await this.#options.authorize({ target, resource: { ...resource, api: served.api } });
    return this.#resource(call, { ...target, ...resource }, served);
  }

  #resource(call: ApiCall, target: VerbContext['target'], { kinds, api }: ServedVersion): Promise<ApiAnswer> {
    const kind = kinds.find(({ plural }) => plural === target.plural);
    const tables = this.#tables.get(`${api.apiVersion}/${target.plural}`);
    if (kind === undefined || tables === undefined) throw pageNotFound();
    const { verb, namespace, name, subresource } = target;
    if (subresource !== '' && (subresource !== 'status' || !kind.hasStatus)) throw pageNotFound();
    if (!kind.isNamespaced && namespace !== '') throw pageNotFound();
    const needsNamespace = kind.isNamespaced && verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection';
    if (needsNamespace && namespace === '') throw methodNotAllowed();
    if (verb === 'create' && name !== '') throw methodNotAllowed();
    if (subresource !== '' && !['get', 'update', 'patch'].includes(verb)) throw methodNotAllowed();
    const handle = kind.verbs.includes(verb) ? VERBS[verb] : undefined;
    if (handle === undefined || ((verb === 'update' || verb === 'patch') && name === '')) throw methodNotAllowed();
    const { clock, random, ensureNamespace } = this.#options;
    const form = formOf(call.header('accept'));
    return handle({
      call,
      target,
      served: kind,
      tables,
      form,
      clock,
      uids: this.#uids,
      random,
      ensureNamespace,
      warnings: [],
    });
  }
}

function readTarget(text: string): Pick<ApiTarget, 'path' | 'query' | 'segments'> {
  const [path = '', ...rest] = text.split('?');
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  try {
    const segments = trimmed.split('/').slice(1).map(decodeURIComponent);
    return { path: trimmed, query: new Query(rest.join('?')), segments };
  } catch (cause) {
    throw badRequest('the path cannot be read', { cause });
  }
}
