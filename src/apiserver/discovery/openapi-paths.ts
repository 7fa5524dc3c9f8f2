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
import { takesJson } from '../answers/accept.ts';
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
    if (call.path !== '/openapi/v2' && !/^\/openapi\/v3(\/|$)/.test(call.path)) return undefined;
    const documents = await this.#current(call.receivedAt);
    if (call.path === '/openapi/v2') return documents.v2(call);
    if (call.path === '/openapi/v3' || call.path === '/openapi/v3/') {
      return documents.index();
    }
    return documents.v3(call, call.path.slice('/openapi/v3/'.length));
  }

  #current(nowMs: number): Promise<Documents> {
    if (this.#documents === undefined || this.#generation !== this.#served.generation) {
      this.#generation = this.#served.generation;
      this.#documents = loadDescriptions().then(
        (descriptions) =>
          new Documents(this.#served, new DocumentSources(this.#served.types, descriptions), { madeAtMs: nowMs }),
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
  /** Headers of every document that is sent whole. */
  readonly #sent: Readonly<Record<string, string>>;
  #protobuf: Uint8Array | undefined;

  constructor(served: ServedApi, sources: DocumentSources, { madeAtMs }: { readonly madeAtMs: number }) {
    this.#served = served;
    this.#sent = { 'accept-ranges': 'bytes', 'last-modified': new Date(madeAtMs).toUTCString() };
    this.#openApiV2 = new OpenApiV2(sources);
    this.#openApiV3 = new OpenApiV3(sources);
    this.#makers = new Map([...this.#openApiV3.server(), ...this.#versionMakers()]);
  }

  v2(call: Call): Answer {
    const vary = 'Accept-Encoding, Accept';
    if (!takesJsonOrProtobuf(call)) return { type: 'bytes', code: 406, contentType: '', body: '', headers: { vary } };
    const { body, etag } = this.#make('v2', () => this.#openApiV2.document(this.#resources()));
    const headers = { ...this.#sent, vary };
    if (!(call.header('accept') ?? '').includes(PROTOBUF_V2_TYPE))
      return answer(call, { body, etag }, { contentType: 'application/json', headers });
    this.#protobuf ??= protobufV2(body);
    return answer(call, { body: this.#protobuf, etag }, { contentType: PROTOBUF_ANSWER_TYPE, headers });
  }

  /** A document by its place below `/openapi/v3/`; an address with an old hash leads to the one with the new. */
  v3(call: Call, path: string): Answer {
    const maker = this.#makers.get(path);
    if (maker === undefined) return { type: 'bytes', code: 404, contentType: '', body: '' };
    const document = this.#make(`v3 ${path}`, maker);
    const hash = call.query.get('hash');
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
    const headers = { ...this.#sent, vary: 'Accept', ...(hash === '' ? {} : IMMUTABLE) };
    return answer(call, document, { contentType: 'application/json', headers });
  }

  index(): Answer {
    const { body } = this.#make('v3 index', () => {
      const etags = [...this.#makers].map(([path, maker]) => [path, this.#make(`v3 ${path}`, maker).etag] as const);
      return openApiV3Index(new Map(etags));
    });
    return { type: 'bytes', code: 200, contentType: 'text/plain; charset=utf-8', body, headers: this.#sent };
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

function takesJsonOrProtobuf(call: Call): boolean {
  const header = call.header('accept') ?? '';
  return takesJson(header) || header.includes(PROTOBUF_V2_TYPE);
}

interface Sending {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

function answer(call: Call, { body, etag }: OpenApiDocument, { contentType, headers: own }: Sending): Answer {
  const headers = { etag: `"${etag}"`, ...own };
  const isKnown = call.header('if-none-match') === `"${etag}"`;
  return { type: 'bytes', code: isKnown ? 304 : 200, contentType, body: isKnown ? '' : body, headers };
}
