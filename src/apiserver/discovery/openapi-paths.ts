import { createHash } from 'node:crypto';
import { Turns } from '../../base/index.ts';
import {
  DocumentSources,
  loadDescriptions,
  OpenApiV2,
  OpenApiV3,
  openApiV3Index,
  PROTOBUF_V2_TYPE,
  serverRelativeUrl,
} from '../../api/index.ts';
import type { OpenApiDocument, OpenApiDocumentV2, ServedGroup, ServedResource, TypeSource } from '../../api/index.ts';
import { takesJson } from '../answers/accept.ts';
import type { Answer } from '../answers/answer.ts';
import type { RequestRecord } from '../request/request-record.ts';
import type { Call } from '../request/call.ts';
import type { RequestHeaders } from '../request/incoming-request.ts';
import type { Resource } from '../resource.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import type { ForeignDocuments, ForeignOpenApi } from './foreign-api.ts';
import { documentedResource } from './described-resource.ts';
import type { ServedApi, ServedVersion } from './served-api.ts';

/** `/openapi/v2`, `/openapi/v3` and the documents below it. They are made on first use, and cached until something changes. */
export class OpenApiPaths implements PathHandler {
  readonly #served: ServedApi;
  readonly #types: TypeSource;
  readonly #foreign: ForeignOpenApi | undefined;
  #documents: Promise<Documents> | undefined;

  constructor(served: ServedApi, types: TypeSource, foreign?: ForeignOpenApi) {
    this.#served = served;
    this.#types = types;
    this.#foreign = foreign;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    if (call.request.path !== '/openapi/v2' && !/^\/openapi\/v3(\/|$)/.test(call.request.path)) return undefined;
    this.#documents ??= loadDescriptions().then(
      (descriptions) =>
        new Documents(this.#served, new DocumentSources(this.#types, descriptions), () => this.#foreignDocuments()),
    );
    const documents = await this.#documents;
    if (call.request.path === '/openapi/v2') return documents.v2(call);
    if (call.request.path === '/openapi/v3' || call.request.path === '/openapi/v3/')
      return documents.index(call.record);
    const path = call.request.path.slice('/openapi/v3/'.length);
    const own = documents.v3(call, path);
    if (own !== undefined) return own;
    if (this.#foreign !== undefined && this.#foreignDocuments().v3.has(path)) return this.#foreign.answer(call, path);
    return { type: 'bytes', code: 404, contentType: '', body: '' };
  }

  #foreignDocuments(): ForeignDocuments {
    return this.#foreign?.documents() ?? NO_DOCUMENTS;
  }
}

const NO_DOCUMENTS: ForeignDocuments = { v2: [], v3: new Map() };

/** A document, and when it was made. */
interface Made extends OpenApiDocument {
  readonly atMs: number;
}

/** A document that can be made on demand, and is cached with its source. */
interface Source {
  readonly of: object;
  readonly make: () => OpenApiDocument;
  /** The document's ETag, when it is known without making the document. */
  readonly etag?: string;
}

/** All documents. Each is cached by the group, version or list of groups that it is made from. */
class Documents {
  readonly #served: ServedApi;
  readonly #sources: DocumentSources;
  readonly #openApiV2: OpenApiV2;
  readonly #openApiV3: OpenApiV3;
  /** The documents of the server's own paths, which never change. */
  readonly #server: ReadonlyMap<string, () => OpenApiDocument>;
  readonly #resources = new WeakMap<Resource, ServedResource>();
  readonly #made = new WeakMap<object, Made>();
  readonly #foreign: () => ForeignDocuments;
  #whole: WholeDocuments | undefined;
  /** The documents whose version 2 was sent last. */
  #last: WithV2 | undefined;

  constructor(served: ServedApi, sources: DocumentSources, foreign: () => ForeignDocuments) {
    this.#served = served;
    this.#foreign = foreign;
    this.#sources = sources;
    this.#openApiV2 = new OpenApiV2(sources);
    this.#openApiV3 = new OpenApiV3(sources);
    this.#server = this.#openApiV3.server();
  }

  async v2(call: Call): Promise<Answer> {
    const vary = 'Accept-Encoding, Accept';
    if (!takesJsonOrProtobuf(call.request))
      return { type: 'bytes', code: 406, contentType: '', body: '', headers: { vary } };
    const whole = await this.#withV2(this.#current(), call.record.receivedAt);
    const headers = { ...sentAt(whole.v2), vary };
    if (!(call.request.header('accept') ?? '').includes(PROTOBUF_V2_TYPE))
      return answer(call, whole.v2, { contentType: 'application/json', headers });
    whole.protobuf ??= whole.v2.protobuf();
    const { etag } = whole.v2;
    return answer(call, { body: whole.protobuf, etag }, { contentType: PROTOBUF_ANSWER_TYPE, headers });
  }

  /**
   * Documents that have the one of version 2: the current ones, or the last ones while the current one is being made in the
   * background. Only the first document is waited for.
   */
  async #withV2(whole: WholeDocuments, atMs: number): Promise<WithV2> {
    if (hasV2(whole)) return (this.#last = whole);
    const making = this.#whole2(whole, atMs);
    if (this.#last === undefined) {
      return (this.#last = Object.assign(whole, { v2: await making }));
    }
    making.then(
      (made) => (whole.v2 = made),
      () => (whole.makingV2 = undefined), // the next request tries again
    );
    return this.#last;
  }

  /** Concurrent requests for the document wait for the same one. */
  #whole2(whole: WholeDocuments, atMs: number): Promise<Made & OpenApiDocumentV2> {
    return (whole.makingV2 ??= (async () => {
      const turns = new Turns();
      const resources: ServedResource[] = [];
      for (const { versions } of whole.of) {
        for (const version of versions) resources.push(...this.#documented(version));
      }
      for (const resource of resources) {
        this.#openApiV2.prepare(resource);
        await turns.take(true);
      }
      return { ...this.#openApiV2.document(resources, whole.foreign.v2), atMs };
    })());
  }

  /** A document of this server, by path below `/openapi/v3/`; a URL with an old hash redirects to the current one. */
  v3(call: Call, path: string): Answer | undefined {
    const source = this.#current().sources.get(path);
    if (source === undefined) return undefined;
    const document = this.#make(source, call.record.receivedAt);
    const hash = call.request.query.get('hash');
    if (hash !== '' && hash !== document.etag) {
      const location = serverRelativeUrl(path, document.etag);
      return {
        type: 'bytes',
        code: 301,
        contentType: 'application/json',
        body: '',
        headers: { location, etag: `"${document.etag}"`, vary: 'Accept' },
      };
    }
    const headers = { ...sentAt(document), vary: 'Accept', ...(hash === '' ? {} : IMMUTABLE) };
    return answer(call, document, { contentType: 'application/json', headers });
  }

  index({ receivedAt }: RequestRecord): Answer {
    const whole = this.#current();
    if (whole.index === undefined) {
      const etags = [...whole.sources].map(
        ([path, source]) => [path, source.etag ?? this.#make(source, receivedAt).etag] as const,
      );
      whole.index = { ...openApiV3Index(new Map(etags), whole.foreign.v3), atMs: receivedAt };
    }
    const headers = sentAt(whole.index);
    return { type: 'bytes', code: 200, contentType: 'text/plain; charset=utf-8', body: whole.index.body, headers };
  }

  /** The documents that are made from all groups. */
  #current(): WholeDocuments {
    const of = this.#served.groups();
    const foreign = this.#foreign();
    if (this.#whole?.of !== of) this.#whole = { of, foreign, sources: this.#sourcesOf(of) };
    else if (this.#whole.foreign !== foreign) this.#whole = { of, foreign, sources: this.#whole.sources };
    return this.#whole;
  }

  #sourcesOf(groups: readonly ServedGroup<ServedVersion>[]): Map<string, Source> {
    const sources = new Map<string, Source>();
    for (const [path, make] of this.#server) sources.set(path, { of: make, make });
    for (const group of groups) {
      const base = group.name === '' ? 'api' : `apis/${group.name}`;
      if (group.name !== '' && documentsDiscovery(group)) {
        sources.set(base, { of: group, make: () => this.#openApiV3.group(group.name) });
      }
      for (const version of group.versions) {
        if (version.foreign !== undefined) continue;
        const make = (): OpenApiDocument => this.#openApiV3.groupVersion(version, this.#documented(version));
        sources.set(`${base}/${version.version}`, { of: version, make, etag: knownEtag(version) });
      }
    }
    return sources;
  }

  #make({ of, make, etag }: Source, nowMs: number): Made {
    let document = this.#made.get(of);
    if (document === undefined) {
      const made = make();
      document = { ...made, etag: etag ?? made.etag, atMs: nowMs };
      this.#made.set(of, document);
    }
    return document;
  }

  #documented({ resources }: ServedVersion): ServedResource[] {
    return resources.map((resource) => {
      let documented = this.#resources.get(resource);
      if (documented === undefined)
        this.#resources.set(resource, (documented = documentedResource(resource, this.#sources)));
      return documented;
    });
  }
}

interface WholeDocuments {
  readonly of: readonly ServedGroup<ServedVersion>[];
  readonly foreign: ForeignDocuments;
  /** By path below `/openapi/v3/`. */
  readonly sources: ReadonlyMap<string, Source>;
  index?: Made;
  v2?: Made & OpenApiDocumentV2;
  makingV2?: Promise<Made & OpenApiDocumentV2> | undefined;
  protobuf?: Uint8Array;
}

type WithV2 = WholeDocuments & Pick<Required<WholeDocuments>, 'v2'>;

function hasV2(whole: WholeDocuments): whole is WithV2 {
  return whole.v2 !== undefined;
}

/** A hash of everything that the documents of a version are made from; undefined when a resource has no fingerprint. */
function knownEtag({ group, version, resources }: ServedVersion): string | undefined {
  const hash = createHash('sha512').update(`${group}/${version}`);
  for (const { plural, fingerprint } of resources) {
    if (fingerprint === undefined) return undefined;
    hash.update(`\n${plural} ${fingerprint}`);
  }
  return hash.digest('hex').toUpperCase();
}

/** The documents of custom resources do not include their discovery paths. */
function documentsDiscovery({ versions }: ServedGroup<ServedVersion>): boolean {
  return versions.some(({ resources }) => resources.some(({ capabilities }) => capabilities.documents === 'built-in'));
}

/** The headers of every document that is sent whole. */
function sentAt({ atMs }: Made): Readonly<Record<string, string>> {
  return { 'accept-ranges': 'bytes', 'last-modified': new Date(atMs).toUTCString() };
}

/** The media type of protobuf in answers: the requested one has an `@`, which is not allowed in media types. */
const PROTOBUF_ANSWER_TYPE = PROTOBUF_V2_TYPE.replace('@', '.');

/** The content at a URL with the current hash never changes. */
const IMMUTABLE = { 'cache-control': 'public, immutable' };

function takesJsonOrProtobuf(request: RequestHeaders): boolean {
  const header = request.header('accept') ?? '';
  return takesJson(header) || header.includes(PROTOBUF_V2_TYPE);
}

interface Sending {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

function answer(call: Call, { body, etag }: OpenApiDocument, { contentType, headers: own }: Sending): Answer {
  const headers = { etag: `"${etag}"`, ...own };
  const isKnown = call.request.header('if-none-match') === `"${etag}"`;
  return { type: 'bytes', code: isKnown ? 304 : 200, contentType, body: isKnown ? '' : body, headers };
}
