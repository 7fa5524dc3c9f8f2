import {
  type GroupVersionKind,
  JsonBody,
  type Status,
  type Struct,
  type TypeMeta,
  typeMetaOf,
  type TypeTable,
  YamlBody,
} from '../../api/index.ts';
import { DecodeError, decodeJson } from '../../api/index.ts';
import type { WebhookAnswer } from './webhook-answer.ts';

/** The kinds that a webhook may answer with. */
export interface ReviewKinds {
  readonly types: TypeTable;
  readonly group: string;
  readonly kind: string;
  /** The version of the review that was sent. */
  readonly version: string;
  /** All versions of the review that this server supports. */
  readonly versions: readonly string[];
  /** The type of the review, when it is not in the table of types; the table's kinds are then also accepted. */
  readonly struct?: Struct;
}

export interface ReadReview<T> {
  /** As in the answer; empty where absent. */
  readonly typeMeta: TypeMeta;
  readonly review: T;
}

const STATUS = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';

/** Where kinds are registered, in upstream's messages. */
const SCHEME = 'in scheme "pkg/runtime/scheme.go:111"';

/**
 * Parses the review that a webhook answered with, as client-go does: JSON or YAML, whatever the content type says; a missing kind or
 * version defaults to the one that was sent. Errors have client-go's messages.
 */
export function readReview<T>(answer: WebhookAnswer, kinds: ReviewKinds): ReadReview<T> {
  const { code, contentType, body } = answer;
  const problem = contentTypeProblem(contentType);
  if (problem !== undefined) throw new Error(`Internal error occurred: ${problem}`);
  if (body.length === 0) {
    const type = contentType === '' ? 'application/json' : contentType;
    throw new Error(`0-length response with status code: ${code} and content type: ${type}`);
  }
  const text = bodyOf(body);
  const { typeMeta } = text;
  const found = completed(typeMeta, kinds);
  const struct = structOf(found, kinds);
  const review = renamed(found, () => text.decode(struct));
  const wanted = `${kinds.group}/${kinds.version}`;
  if (found.apiVersion !== wanted || found.kind !== kinds.kind) {
    const from = `${versionOf(found.apiVersion)}.${found.kind}`;
    throw new Error(`converting (${from}) to (${kinds.version}.${kinds.kind}): unknown conversion`);
  }
  return { typeMeta, review: review as T };
}

/** The Status in an answer, if there is one with a kind. */
export function readStatus({ body }: WebhookAnswer): Status | undefined {
  if (body.length === 0) return undefined;
  try {
    const text = bodyOf(body);
    const { kind, apiVersion } = text.typeMeta;
    return kind === 'Status' && (apiVersion === 'v1' || apiVersion === '') ? (text.untyped() as Status) : undefined;
  } catch {
    return undefined; // not a Status
  }
}

interface TextBody {
  readonly typeMeta: TypeMeta;
  decode(struct: Struct): unknown;
  untyped(): unknown;
}

const OPENING_BRACE = 0x7b;

function bodyOf(bytes: Uint8Array): TextBody {
  const first = bytes.find((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
  if (first !== OPENING_BRACE) {
    const body = new YamlBody(bytes);
    return {
      typeMeta: body.typeMeta,
      decode: (struct) => body.decode(struct, { fieldValidation: 'Ignore' }).value,
      untyped: () => body.untyped(),
    };
  }
  const body = parsed(bytes);
  return {
    typeMeta: typeMetaOf(body),
    decode: (struct) => decodeJson(body, struct, { fieldValidation: 'Ignore' }).value,
    untyped: () => body.peekValue(),
  };
}

function parsed(bytes: Uint8Array): JsonBody {
  try {
    return new JsonBody(bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new Error(`couldn't get version/kind; json parse error: ${error.message}`, { cause: error });
  }
}

function completed({ apiVersion, kind }: TypeMeta, kinds: ReviewKinds): TypeMeta {
  return {
    apiVersion: apiVersion === '' ? `${kinds.group}/${kinds.version}` : apiVersion,
    kind: kind === '' ? kinds.kind : kind,
  };
}

/** Reviews of all versions have the same fields, so the newest type is used. */
function structOf({ apiVersion, kind }: TypeMeta, kinds: ReviewKinds): Struct {
  const { types, group, kind: wanted, versions } = kinds;
  const isReview = kind === wanted && versions.some((version) => apiVersion === `${group}/${version}`);
  const struct = isReview
    ? (kinds.struct ?? types.kind({ group, version: 'v1', kind }))
    : kind === 'Status' && apiVersion === 'v1'
      ? types.struct(STATUS)
      : kinds.struct && types.kind(kindOf(apiVersion, kind));
  if (struct !== undefined) return struct;
  throw new Error(`no kind "${kind}" is registered for version "${apiVersion}" ${SCHEME}`);
}

function kindOf(apiVersion: string, kind: string): GroupVersionKind {
  return { group: apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/'))), version: versionOf(apiVersion), kind };
}

/** Replaces the version in type errors with the review's own. */
function renamed({ apiVersion }: TypeMeta, decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new Error(error.message.replace(/ of type v1\./, ` of type ${versionOf(apiVersion)}.`), { cause: error });
  }
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}

const MEDIA_TYPE = /^\s*[!#$%&'*+.^_`|~0-9a-z-]+(\/[!#$%&'*+.^_`|~0-9a-z-]+)?\s*/i;

/** The error of Go's media type parser, if it rejects the text. */
function contentTypeProblem(contentType: string): string | undefined {
  if (contentType === '') return undefined;
  const type = MEDIA_TYPE.exec(contentType)?.[0];
  if (type === undefined) return 'mime: no media type';
  const rest = contentType.slice(type.length);
  return rest === '' || rest.startsWith(';') ? undefined : 'mime: unexpected content after media subtype';
}
