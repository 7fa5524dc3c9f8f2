import {
  convertedToV3,
  type ForeignPartV2,
  type OpenApiDocument,
  readForeignV2,
  serverRelativeUrl,
  type TypeTable,
} from '../api/index.ts';
import type { Answer, Call, ForeignDocuments, ForeignOpenApi, RequestHeaders } from '../apiserver/index.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import type { AggregatedRequests } from './aggregated-requests.ts';
import type { Backend, Backends, FetchedDocument } from './backends.ts';
import { KeyedWork, type WorkResult } from './keyed-work.ts';
import { groupVersionPath, type RemoteService } from './registered-service.ts';
import type { RegisteredServices } from './registered-services.ts';

export interface ForeignOpenApiOptions {
  readonly services: RegisteredServices;
  readonly backends: Backends;
  readonly requests: AggregatedRequests;
  readonly clock: Clock;
  readonly types: Pick<TypeTable, 'version'>;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The user as which this server reads documents. */
const USER = { name: 'system:aggregator', groups: [] };
const REFRESH_MS = 60_000;
const MAX_PAUSE_MS = 60 * 60_000;
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** The last answer of one APIService's server. */
interface KnownDocuments {
  readonly v2?: { readonly part: ForeignPartV2; readonly etag: string };
  /** URLs, by path below `/openapi/v3/`. */
  readonly v3: ReadonlyMap<string, string>;
  /** Replaces the v3 document where the server has none. */
  readonly converted?: OpenApiDocument;
}

/**
 * Knows the OpenAPI documents of the servers behind APIServices: reads those of v2, and lets the servers answer for v3.
 */
export class ForeignOpenApiDocuments implements ForeignOpenApi, Disposable {
  readonly #options: ForeignOpenApiOptions;
  readonly #work: KeyedWork;
  readonly #known = new Map<string, KnownDocuments>();
  #documents: ForeignDocuments | undefined;
  #subscription: Disposable | undefined;

  constructor(options: ForeignOpenApiOptions) {
    this.#options = options;
    this.#work = new KeyedWork({
      ...options,
      name: 'OpenAPI',
      backoff: { initialMs: REFRESH_MS, capMs: MAX_PAUSE_MS },
      maxAtOnce: 2,
      act: (name, signal) => this.#refresh(name, signal),
    });
  }

  start(): void {
    const { services } = this.#options;
    for (const name of services.remotes.keys()) this.#take(name);
    this.#subscription = services.onChange((name) => this.#take(name));
  }

  documents(): ForeignDocuments {
    return (this.#documents ??= {
      v2: this.#inOrder().flatMap(([, { v2 }]) => v2?.part ?? []),
      v3: new Map(this.#inOrder().flatMap(([, { v3 }]) => [...v3])),
    });
  }

  answer(call: Call, path: string): Promise<Answer> {
    const [name = '', known] = this.#inOrder().find(([, { v3 }]) => v3.has(path)) ?? [];
    if (known?.converted !== undefined) return Promise.resolve(documentAnswer(call.request, known.converted));
    return this.#options.requests.passOn(call, this.#options.services.remotes.get(name));
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  /** The order in which documents are merged: by APIService name. */
  #inOrder(): [string, KnownDocuments][] {
    return [...this.#known].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  #take(name: string): void {
    const remote = this.#options.services.remotes.get(name);
    if (remote === undefined) {
      if (this.#known.delete(name)) this.#documents = undefined;
      return;
    }
    if (!remote.isAvailable) return; // its last answer stays
    this.#work.resetBackoff(name);
    this.#work.add(name);
  }

  /** Documents of a server that only has OpenAPI v2. */
  #withConversion(remote: RemoteService, v2: KnownDocuments['v2'], known: KnownDocuments | undefined): KnownDocuments {
    if (v2 === undefined) return { v3: new Map() };
    if (known?.converted !== undefined && known.v2?.part === v2.part) return known;
    const converted = convertedToV3(v2.part, this.#options.types.version);
    const place = groupVersionPath(remote).slice(1);
    return { v2, converted, v3: new Map([[place, serverRelativeUrl(place, converted.etag)]]) };
  }

  async #refresh(name: string, signal: AbortSignal): Promise<WorkResult> {
    const remote = this.#options.services.remotes.get(name);
    if (remote?.isAvailable !== true) return 'done';
    try {
      const backend = await this.#options.backends.find(remote);
      const known = this.#known.get(name);
      const v3 = await this.#readV3(backend, remote, signal);
      const v2 = await this.#readV2(backend, remote, { known: known?.v2, signal });
      const documents =
        v3 === undefined ? this.#withConversion(remote, v2, known) : { v3, ...(v2 === undefined ? {} : { v2 }) };
      if (this.#options.services.remotes.has(name)) this.#set(name, documents);
      return { againAfterMs: REFRESH_MS };
    } catch (error) {
      this.#options.log.debug('OpenAPI of an API service cannot be read', { service: name, error });
      return 'failed';
    }
  }

  #set(name: string, documents: KnownDocuments): void {
    const known = this.#known.get(name);
    const isSame = known?.v2?.part === documents.v2?.part && isSameMap(known?.v3 ?? new Map(), documents.v3);
    if (known !== undefined && isSame) return;
    this.#known.set(name, documents);
    this.#documents = undefined;
  }

  /** The documents of the group and version, ignoring the server's others; undefined where it has no v3. */
  async #readV3(
    backend: Backend,
    remote: RemoteService,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const fetched = await this.#fetch(backend, '/openapi/v3', { signal });
    if (fetched.status === 404) return undefined;
    expectSuccess(fetched);
    const { paths } = JSON.parse(fetched.body.toString()) as {
      readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: unknown } | null>>;
    };
    const places = [groupVersionPath(remote).slice(1), `apis/${remote.group}`];
    return new Map(
      places.flatMap((place) => {
        const url = paths?.[place]?.serverRelativeURL;
        const isItsOwn =
          typeof url === 'string' && (url === `/openapi/v3/${place}` || url.startsWith(`/openapi/v3/${place}?`));
        return isItsOwn ? [[place, url] as const] : [];
      }),
    );
  }

  async #readV2(
    backend: Backend,
    remote: RemoteService,
    { known, signal }: { readonly known: KnownDocuments['v2']; readonly signal: AbortSignal },
  ): Promise<KnownDocuments['v2']> {
    const fetched = await this.#fetch(backend, '/openapi/v2', {
      signal,
      ...(known === undefined || known.etag === '' ? {} : { etag: known.etag }),
    });
    if (fetched.status === 304) return known;
    if (fetched.status === 404) return undefined;
    expectSuccess(fetched);
    const prefix = `${groupVersionPath(remote)}/`;
    return {
      part: readForeignV2(fetched.body.toString(), (path) => path.startsWith(prefix)),
      etag: fetched.header('etag'),
    };
  }

  #fetch(
    backend: Backend,
    path: string,
    options: { readonly signal: AbortSignal; readonly etag?: string },
  ): Promise<FetchedDocument> {
    return this.#options.backends.fetch(backend, {
      path,
      user: USER,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...options,
    });
  }
}

function documentAnswer(request: RequestHeaders, { body, etag }: OpenApiDocument): Answer {
  const isKnown = request.header('if-none-match') === `"${etag}"`;
  const headers = { etag: `"${etag}"`, vary: 'Accept' };
  const contentType = 'application/json';
  return { type: 'bytes', code: isKnown ? 304 : 200, contentType, body: isKnown ? '' : body, headers };
}

function expectSuccess({ status }: FetchedDocument): void {
  if (status !== 200) throw new Error(`failed to retrieve openAPI spec, http error: ${status}`);
}

function isSameMap(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}
