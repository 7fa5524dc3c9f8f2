import { Buffer } from 'node:buffer';
import {
  type ApiObject,
  badRequest,
  includeObject,
  internalError,
  StatusError,
  type TypeTable,
  wrapProtobuf,
} from '../../api/index.ts';
import { type Clock, type Logger, unreachable } from '../../base/index.ts';
import type { WatchMetrics } from '../metrics/watch-metrics.ts';
import type { RequestAudit, RequestRecord } from '../request/request-record.ts';
import type { Call } from '../request/call.ts';
import { LARGE_BYTES } from '../request/large-body.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf, StoredObject } from '../storage/stored-object.ts';
import type {
  Answer,
  BytesAnswer,
  EncodedAnswer,
  ListAnswer,
  ListMetadata,
  ObjectAnswer,
  StatusAnswer,
  WatchAnswer,
} from './answer.ts';
import { encodeDocument } from './document.ts';
import { indentJson } from './indent-json.ts';
import { MAX_EAGER_BYTES, lazyPieces } from './lazy-pieces.ts';
import { ListEncoder } from './list-encoder.ts';
import { MetadataForms } from './metadata-forms.ts';
import type { Negotiator } from './negotiator.ts';
import { checkConversion } from './not-acceptable.ts';
import { jsonOf, jsonPiecesOf, objectOf, type ObjectSource, protobufOf } from './object-forms.ts';
import { mediaTypes, type Representation, streamMediaType } from './representation.ts';
import { StatusEncoder } from './status-encoder.ts';
import { lazyTableOf } from './table.ts';
import { textList, yamlDocument } from './text-list.ts';
import { warningHeaders } from './warning-headers.ts';
import { WatchEncoder } from './watch-encoder.ts';

export interface AnswerEncoderOptions {
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly negotiator: Negotiator;
  readonly watchMetrics?: WatchMetrics;
}

/** Encodes the verbs' answers in the formats that clients ask for. */
export class AnswerEncoder {
  readonly #options: AnswerEncoderOptions;
  readonly #forms: MetadataForms;
  readonly #lists: ListEncoder;
  readonly #statuses: StatusEncoder;
  readonly #watches: WatchEncoder;

  constructor(options: AnswerEncoderOptions) {
    const { types, clock, watchMetrics } = options;
    this.#options = options;
    this.#forms = new MetadataForms(types);
    this.#lists = new ListEncoder(types, this.#forms);
    this.#statuses = new StatusEncoder(types);
    this.#watches = new WatchEncoder({ clock, forms: this.#forms, statuses: this.#statuses, metrics: watchMetrics });
  }

  /**
   * Passes objects on unencoded to a call that takes objects; encodes the answer for all other calls.
   *
   * Never throws: when the answer cannot be encoded as requested, the result is a Status that says why.
   */
  encode(answer: Answer, call: Call): EncodedAnswer {
    if (call.record.audit !== undefined) this.#recordForAudit(answer, call, call.record.audit);
    if (call.request.takesObjects) return { code: codeOf(answer), headers: {}, body: EMPTY, decoded: answer };
    return this.toBytes(answer, call);
  }

  /** The same for a caller in this process that wants bytes after all. */
  toBytes(answer: Answer, call: Call): EncodedAnswer {
    try {
      return this.#encode(answer, call);
    } catch (error) {
      if (!(error instanceof StatusError))
        this.#options.log.error('answer not encoded', { path: call.request.path, error });
      const { status } = error instanceof StatusError ? error : internalError(error);
      call.record.audit?.answered(status, () => [this.#statuses.encode(status, PLAIN_JSON)]);
      return this.#status({ type: 'status', status }, call);
    }
  }

  /** Passes the answer to the call's audit: in JSON, but otherwise in the form that the client asked for. */
  #recordForAudit(answer: Answer, call: Call, audit: RequestAudit): void {
    if (answer.type === 'status') {
      audit.answered(answer.status, () => [this.#statuses.encode(answer.status, PLAIN_JSON)]);
    } else if (answer.type === 'object' || answer.type === 'list') {
      audit.answered(undefined, ({ omitManagedFields }) => {
        const shown = omitManagedFields ? withoutManagedFields(answer) : answer;
        const { conversion } = this.#options.negotiator.negotiate(call, answer.resource);
        const { body } = this.#encode(shown, call, { ...PLAIN_JSON, conversion });
        return body instanceof Uint8Array ? [body] : Symbol.iterator in body ? body : undefined;
      });
    }
  }

  /** `given` replaces the representation that the client asked for. */
  #encode(answer: Answer, call: Call, given?: Representation): EncodedAnswer {
    switch (answer.type) {
      case 'object':
        return this.#object(answer, call, given ?? this.#options.negotiator.negotiate(call, answer.resource));
      case 'list':
        return this.#list(answer, call, given ?? this.#options.negotiator.negotiate(call, answer.resource));
      case 'watch':
        return this.#watch(answer, call);
      case 'status':
        return this.#status(answer, call);
      case 'bytes':
        return encodeBytes(answer, call);
      case 'stream':
        return { code: answer.code, headers: endToEnd(answer.headers), body: answer.body };
      case 'upgrade':
        if (!call.request.isUpgrade) throw badRequest('Upgrade request required');
        return { code: 101, headers: answer.headers, body: EMPTY, takeOver: answer.takeOver };
      default:
        return unreachable(answer);
    }
  }

  #object(answer: ObjectAnswer, call: Call, representation: Representation): EncodedAnswer {
    const { object, resource, code } = answer;
    checkConversion(representation, resource, false);
    const headers = answerHeaders(call.record, mediaTypes[representation.format]);
    const { conversion } = representation;
    if (conversion === undefined) return { code, headers, body: encodeObject(answer, representation) };
    const { apiVersion } = conversion;
    if (conversion.kind !== 'Table') {
      return { code, headers, body: encodePartialObject(answer, representation, { apiVersion, forms: this.#forms }) };
    }
    const { resourceVersion = '' } = objectOf(object, resource).metadata;
    const pieces = this.#table([object], { resourceVersion }, { call, resource, representation, apiVersion });
    return { code, headers, body: lazyPieces(pieces) };
  }

  #list(answer: ListAnswer, call: Call, representation: Representation): EncodedAnswer {
    const { resource, metadata } = answer;
    const list = pinned(answer);
    checkConversion(representation, resource, true);
    const headers = answerHeaders(call.record, mediaTypes[representation.format]);
    const { conversion } = representation;
    if (conversion === undefined)
      return { code: 200, headers, body: lazyPieces(this.#lists.encode(list, representation)) };
    const { apiVersion } = conversion;
    const pieces =
      conversion.kind === 'Table'
        ? this.#table(list.items, metadata, { call, resource, representation, apiVersion })
        : this.#lists.encodePartial(list, representation, apiVersion);
    return { code: 200, headers, body: lazyPieces(pieces) };
  }

  #table(
    sources: readonly ObjectSource[],
    metadata: ListMetadata,
    { call, resource, representation, apiVersion }: TableRequest,
  ): Generator<Uint8Array> {
    const { format, isPretty } = representation;
    if (format === 'protobuf') throw new Error('Cannot write a Table as protobuf'); // negotiation never offers it
    const include = includeObject(call.request.query);
    const now = this.#options.clock.now();
    const context = { resource, apiVersion, include, forms: this.#forms, now };
    const { rows, ...fields } = lazyTableOf(sources, metadata, context);
    const isSlow = sources.some((source) => source instanceof StoredObject && source.bytes > LARGE_BYTES);
    return textList({ fields, name: 'rows', items: rows, isSlow }, { format, isPretty });
  }

  #watch(answer: WatchAnswer, call: Call): EncodedAnswer {
    const representation = this.#options.negotiator.negotiate(call, answer.resource);
    const { format } = representation;
    const contentType = format === 'json' ? mediaTypes.json : streamMediaType(format);
    const body = this.#watches.encode(answer, representation, call.request.query);
    return { code: 200, headers: answerHeaders(call.record, contentType), body };
  }

  #status({ status, headers }: StatusAnswer, call: Call): EncodedAnswer {
    const isSuccess = status.status === 'Success';
    // A client that accepts none of our formats still needs to see the error.
    const representation = this.#options.negotiator.forStatus(call, isSuccess) ?? FALLBACK;
    const retryAfter = status.details?.retryAfterSeconds ?? 0;
    return {
      code: status.code,
      headers: answerHeaders(call.record, mediaTypes[representation.format], {
        ...headers,
        ...(!isSuccess && retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {}),
      }),
      body: this.#statuses.encode(status, representation),
    };
  }
}

/** A list is encoded while it is sent; the converted forms of its items must be kept until then. */
function pinned(answer: ListAnswer): ListAnswer {
  const { resource, items } = answer;
  if (resource.storage.convert === undefined) return answer;
  return { ...answer, items: items.map((item) => (item instanceof StoredObject ? item.pinned(resource) : item)) };
}

interface TableRequest {
  readonly call: Call;
  readonly resource: Resource;
  readonly representation: Representation;
  readonly apiVersion: string;
}

const EMPTY = new Uint8Array(0);

const PLAIN_JSON: Representation = { format: 'json', isPretty: false, conversion: undefined };

function withoutManagedFields(answer: ObjectAnswer | ListAnswer): ObjectAnswer | ListAnswer {
  const bare = (source: ObjectSource): ApiObject => {
    const object = objectOf(source, answer.resource);
    const { managedFields: _, ...metadata } = object.metadata;
    return { ...object, metadata };
  };
  return answer.type === 'object'
    ? { ...answer, object: bare(answer.object) }
    : { ...answer, items: answer.items.map(bare) };
}

const FALLBACK: Representation = { format: 'json', isPretty: true, conversion: undefined };

function encodeBytes({ code, contentType, body, headers }: BytesAnswer, call: Call): EncodedAnswer {
  return {
    code,
    headers: contentType === '' ? { ...headers } : answerHeaders(call.record, contentType, headers),
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
}

/** Headers that apply to one connection only (RFC 9110, 7.6.1), which HTTP/2 does not have. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function endToEnd(headers: EncodedAnswer['headers']): EncodedAnswer['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

function codeOf(answer: Answer): number {
  switch (answer.type) {
    case 'object':
    case 'bytes':
    case 'stream':
      return answer.code;
    case 'status':
      return answer.status.code;
    case 'list':
    case 'watch':
      return 200;
    case 'upgrade':
      return 101;
  }
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The headers of an answer: its content type, its own headers, and the warnings of the call. */
function answerHeaders(
  { warnings }: RequestRecord,
  contentType: string,
  own?: Readonly<Record<string, string>>,
): Headers {
  const { texts } = warnings;
  if (texts.length === 0)
    return own === undefined ? { 'content-type': contentType } : { 'content-type': contentType, ...own };
  const warning = warningHeaders(texts);
  return { 'content-type': contentType, ...own, ...(warning.length === 0 ? {} : { warning }) };
}

const LINE_FEED = Buffer.from('\n');

/** Encodes one object. */
function encodeObject({ object, resource }: ObjectAnswer, { format, isPretty }: Representation): EncodedAnswer['body'] {
  if (format === 'protobuf') {
    return wrapProtobuf(protobufOf(object, resource), { apiVersion: apiVersionOf(resource), kind: resource.kind });
  }
  if (format === 'yaml') return lazyPieces(yamlDocument(objectOf(object, resource)));
  if (isPretty) return indentJson(jsonOf(object, resource));
  const pieces = jsonPiecesOf(object, resource);
  const [json] = pieces;
  const isSmall = pieces.length === 1 && json !== undefined && json.length <= MAX_EAGER_BYTES;
  return isSmall ? Buffer.concat([json, LINE_FEED]) : [...pieces, LINE_FEED];
}

/** Encodes the metadata of one object as a PartialObjectMetadata of the given version. */
function encodePartialObject(
  { object, resource }: ObjectAnswer,
  { format, isPretty }: Representation,
  { apiVersion, forms }: { readonly apiVersion: string; readonly forms: MetadataForms },
): Uint8Array {
  if (format === 'protobuf') {
    return wrapProtobuf(forms.protobuf(object, resource), { apiVersion, kind: 'PartialObjectMetadata' });
  }
  return encodeDocument(forms.partial(object, resource, apiVersion), { format, isPretty });
}
