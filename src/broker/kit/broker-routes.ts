import { createHash } from 'node:crypto';
import { BrokerError, failureBody } from '../protocol/broker-error.ts';
import { IDENTITY_HEADER, isJsonObject, parseIdentity } from '../protocol/identity-header.ts';
import type { JsonObject, OsbCatalog } from '../protocol/osb.ts';
import type { BindingVerbs } from './binding-verbs.ts';
import type { Asking, BrokerAnswer } from './broker-answer.ts';
import type { InstanceVerbs } from './instance-verbs.ts';
import { malformed } from './request-fields.ts';

/** A request of a platform, after its credentials were checked. */
export interface BrokerRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const MAX_DEPTH = 100;
const MAX_ID_LENGTH = 2048;

type Handler = (request: Read) => BrokerAnswer | Promise<BrokerAnswer>;

/** A request whose parts were read. */
interface Read {
  readonly ids: readonly string[];
  readonly query: JsonObject;
  readonly body: JsonObject;
  readonly asking: Asking;
}

interface Route {
  /** `:` stands for an id. */
  readonly path: readonly string[];
  readonly verbs: Readonly<Partial<Record<string, Handler>>>;
}

export interface RouteParts {
  readonly catalog: OsbCatalog;
  readonly instances: InstanceVerbs;
  readonly bindings: BindingVerbs;
  readonly startedAtMs: number;
  readonly pollEveryMs: number;
}

/** The paths of a broker. */
export class BrokerRoutes {
  readonly #routes: readonly Route[];
  readonly #catalog: { readonly body: OsbCatalog; readonly etag: string; readonly modified: string };
  readonly #pollEverySeconds: number;

  constructor({ catalog, instances, bindings, startedAtMs, pollEveryMs }: RouteParts) {
    const etag = `"${createHash('sha256').update(JSON.stringify(catalog)).digest('base64url')}"`;
    this.#catalog = { body: catalog, etag, modified: new Date(startedAtMs).toUTCString() };
    this.#pollEverySeconds = Math.ceil(pollEveryMs / 1000);
    const polled = (given: BrokerAnswer): BrokerAnswer => this.#polled(given);
    const keyOf = ([instance = '', binding = '']: readonly string[]): { instance: string; binding: string } => ({
      instance,
      binding,
    });
    const INSTANCE = ['v2', 'service_instances', ':'];
    const BINDING = [...INSTANCE, 'service_bindings', ':'];
    this.#routes = [
      {
        path: INSTANCE,
        verbs: {
          GET: ({ ids: [id = ''] }) => instances.fetch(id),
          PUT: ({ ids: [id = ''], body, asking }) => instances.provision(id, body, asking),
          PATCH: ({ ids: [id = ''], body, asking }) => instances.update(id, body, asking),
          DELETE: ({ ids: [id = ''], query, asking }) => instances.deprovision(id, query, asking),
        },
      },
      {
        path: [...INSTANCE, 'last_operation'],
        verbs: { GET: ({ ids: [id = ''], query }) => polled(instances.lastOperation(id, query)) },
      },
      {
        path: BINDING,
        verbs: {
          GET: ({ ids }) => bindings.fetch(keyOf(ids)),
          PUT: ({ ids, body, asking }) => bindings.bind(keyOf(ids), body, asking),
          DELETE: ({ ids, query, asking }) => bindings.unbind(keyOf(ids), query, asking),
        },
      },
      {
        path: [...BINDING, 'last_operation'],
        verbs: { GET: ({ ids, query }) => polled(bindings.lastOperation(keyOf(ids), query)) },
      },
    ];
  }

  /** Answers whatever is asked; failures are answers, too. */
  async answer(request: BrokerRequest): Promise<BrokerAnswer> {
    try {
      checkVersion(request.headers['x-broker-api-version']);
      return await this.#answer(request);
    } catch (error) {
      const failure =
        error instanceof BrokerError ? error : new BrokerError(500, 'The broker has failed', { cause: error });
      return { status: failure.status, body: failureBody(failure, failedVerb(request)) };
    }
  }

  async #answer(request: BrokerRequest): Promise<BrokerAnswer> {
    const { method, url, headers } = request;
    const [path = '', search = ''] = splitOnce(url, '?');
    if (path === '/v2/catalog') return this.#answerCatalog(request);
    const parts = path.split('/').slice(1);
    const route = this.#routes.find((each) => fits(each.path, parts));
    if (route === undefined) throw new BrokerError(404, `There is nothing at "${path}"`);
    const handler = Object.hasOwn(route.verbs, method) ? route.verbs[method] : undefined;
    if (handler === undefined) throw new BrokerError(405, `${method} is not possible here`);
    const query: JsonObject = Object.fromEntries(new URLSearchParams(search));
    return handler({
      ids: parts.filter((_, index) => route.path[index] === ':').map(decodeId),
      query,
      body: method === 'PUT' || method === 'PATCH' ? readBody(request) : {},
      asking: {
        acceptsIncomplete: query['accepts_incomplete'] === 'true',
        originator: originatorOf(headers[IDENTITY_HEADER]),
        requestId: headers['x-broker-api-request-identity'],
      },
    });
  }

  #answerCatalog({ method, headers }: BrokerRequest): BrokerAnswer {
    if (method !== 'GET') throw new BrokerError(405, `${method} is not possible here`);
    const { body, etag, modified } = this.#catalog;
    const caching = { etag, 'last-modified': modified };
    const known = headers['if-none-match'];
    const since = headers['if-modified-since'];
    const isKnown =
      known === undefined
        ? since !== undefined && Date.parse(since) >= Date.parse(modified)
        : known.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));
    return isKnown ? { status: 304, body: undefined, headers: caching } : { status: 200, body, headers: caching };
  }

  /** Work that goes on is looked at again after a while. */
  #polled(given: BrokerAnswer): BrokerAnswer {
    if (!isJsonObject(given.body) || given.body['state'] !== 'in progress') return given;
    return { ...given, headers: { 'retry-after': String(this.#pollEverySeconds) } };
  }
}

function checkVersion(version: string | undefined): void {
  if (version === undefined) throw malformed('The request needs the header X-Broker-API-Version, such as 2.17');
  if (!/^\d+\.\d+$/.test(version)) throw malformed(`"${version}" is no version of the API, such as 2.17`);
  if (!version.startsWith('2.'))
    throw new BrokerError(412, `This broker speaks version 2.17, and not ${version}`, { error: 'VersionNotSupported' });
}

function originatorOf(header: string | undefined): Asking['originator'] {
  if (header === undefined) return undefined;
  const originator = parseIdentity(header);
  if (originator === undefined)
    throw malformed('X-Broker-API-Originating-Identity is not a platform and a JSON object in base64');
  return originator;
}

function fits(path: readonly string[], parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    path.every((each, index) => (each === ':' ? parts[index] !== '' : each === parts[index]))
  );
}

function decodeId(text: string): string {
  try {
    const id = decodeURIComponent(text);
    if (id.length <= MAX_ID_LENGTH) return id;
  } catch {
    // not in percent-encoding
  }
  throw malformed('An id in the path is too long, or not percent-encoded');
}

function readBody({ headers, body }: BrokerRequest): JsonObject {
  const type = headers['content-type'];
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw malformed(`The body is "${type}", and has to be application/json`);
  if (depthOf(body) > MAX_DEPTH) throw malformed('The body has too many levels');
  let read: unknown;
  try {
    read = JSON.parse(body);
  } catch {
    throw malformed('The body is no JSON');
  }
  if (!isJsonObject(read)) throw malformed('The body is no JSON object');
  return read;
}

/** How deep brackets are nested, texts left out. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5c) index += 1; // \ and what it escapes
    else if (code === 0x22) isText = !isText;
    else if (isText) continue;
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return deepest;
}

/** Failures say only of some requests what became of the instance. */
function failedVerb({ method, url }: BrokerRequest): 'update' | 'deprovision' | 'other' {
  if (url.includes('/service_bindings/')) return 'other';
  return method === 'PATCH' ? 'update' : method === 'DELETE' ? 'deprovision' : 'other';
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
