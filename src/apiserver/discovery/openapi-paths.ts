import {
  DocumentSources,
  loadDescriptions,
  OpenApiV2,
  OpenApiV3,
  openApiV3Index,
  PROTOBUF_V2_TYPE,
  protobufV2,
  serverRelativeUrl,
  tableResources,
} from '../../api/index.ts';
import type { OpenApiDocument } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import type { ServedApi } from './served-api.ts';

/** `/openapi/v2`, `/openapi/v3` and the documents below it. Made when first asked for, and kept while nothing changes. */
export class OpenApiPaths implements PathHandler {
  readonly #served: ServedApi;
  #documents: Promise<Documents> | undefined;
  #generation = -1;

  constructor(served: ServedApi) {
    this.#served = served;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    if (!call.path.startsWith('/openapi/') || (call.method !== 'GET' && call.method !== 'HEAD')) return undefined;
    const documents = await this.#current();
    if (call.path === '/openapi/v2') return documents.v2(call);
    if (call.path === '/openapi/v3' || call.path === '/openapi/v3/') {
      return { type: 'bytes', code: 200, contentType: 'text/plain; charset=utf-8', body: documents.index().body };
    }
    return documents.v3(call, call.path.slice('/openapi/v3/'.length));
  }

  #current(): Promise<Documents> {
    if (this.#documents === undefined || this.#generation !== this.#served.generation) {
      this.#generation = this.#served.generation;
      this.#documents = loadDescriptions().then(
        (descriptions) => new Documents(this.#served, new DocumentSources(this.#served.types, descriptions)),
      );
    }
    return this.#documents;
  }
}

/** The documents of one generation of resources. */
class Documents {
  readonly #served: ServedApi;
  readonly #openApiV2: OpenApiV2;
  readonly #openApiV3: OpenApiV3;
  readonly #made = new Map<string, OpenApiDocument>();
  readonly #makers: ReadonlyMap<string, () => OpenApiDocument>;
  #protobuf: Uint8Array | undefined;

  constructor(served: ServedApi, sources: DocumentSources) {
    this.#served = served;
    this.#openApiV2 = new OpenApiV2(sources);
    this.#openApiV3 = new OpenApiV3(sources);
    this.#makers = new Map([...this.#openApiV3.server(), ...this.#versionMakers()]);
  }

  v2(call: Call): Answer {
    const { body, etag } = this.#make('v2', () => this.#openApiV2.document(this.#resources()));
    if (!(call.header('accept') ?? '').includes(PROTOBUF_V2_TYPE))
      return answer(call, { body, etag }, 'application/json');
    this.#protobuf ??= protobufV2(body);
    return answer(call, { body: this.#protobuf, etag }, PROTOBUF_ANSWER_TYPE);
  }

  /** A document by its place below `/openapi/v3/`; an address with an old hash leads to the one with the new. */
  v3(call: Call, path: string): Answer | undefined {
    const maker = this.#makers.get(path);
    if (maker === undefined) return undefined;
    const document = this.#make(`v3 ${path}`, maker);
    const hash = call.query.get('hash');
    if (hash !== '' && hash !== document.etag) {
      const location = serverRelativeUrl(path, document.etag);
      return {
        type: 'bytes',
        code: 301,
        contentType: 'application/json',
        body: '',
        headers: { location, vary: 'Accept' },
      };
    }
    return answer(call, document, 'application/json', hash === '' ? {} : IMMUTABLE);
  }

  index(): OpenApiDocument {
    return this.#make('v3 index', () => {
      const etags = [...this.#makers].map(([path, maker]) => [path, this.#make(`v3 ${path}`, maker).etag] as const);
      return openApiV3Index(new Map(etags));
    });
  }

  #versionMakers(): [string, () => OpenApiDocument][] {
    const makers = new Map<string, () => OpenApiDocument>();
    for (const served of this.#served.versions()) {
      const { group, version } = served;
      const base = group === '' ? 'api' : `apis/${group}`;
      if (group !== '') makers.set(base, () => this.#openApiV3.group(group));
      makers.set(`${base}/${version}`, () =>
        this.#openApiV3.groupVersion(served, tableResources(served.infos, this.#served.types)),
      );
    }
    return [...makers];
  }

  #resources(): ReturnType<typeof tableResources> {
    return tableResources(
      this.#served.versions().flatMap(({ infos }) => infos),
      this.#served.types,
    );
  }

  #make(key: string, maker: () => OpenApiDocument): OpenApiDocument {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const document = maker();
    this.#made.set(key, document);
    return document;
  }
}

/** What the protobuf form is called in answers: the name that is asked for has an `@`, which no media type may have. */
const PROTOBUF_ANSWER_TYPE = PROTOBUF_V2_TYPE.replace('@', '.');

/** An address with the right hash never changes what it leads to. */
const IMMUTABLE = { 'cache-control': 'public, immutable' };

function answer(
  call: Call,
  { body, etag }: OpenApiDocument,
  contentType: string,
  extra: Readonly<Record<string, string>> = {},
): Answer {
  const headers = { etag: `"${etag}"`, vary: 'Accept', ...extra };
  const isKnown = call.header('if-none-match') === `"${etag}"`;
  return { type: 'bytes', code: isKnown ? 304 : 200, contentType, body: isKnown ? '' : body, headers };
}
