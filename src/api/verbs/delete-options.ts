import { type FieldError, invalidValue, notSupported } from '../field-error.ts';
import { DecodeError, decodeJson, type TypeMeta } from '../json/index.ts';
import type { ApiObject } from '../object.ts';
import { decodeProtobuf, openProtobufEnvelope } from '../protobuf/index.ts';
import type { Struct } from '../schema/schema.ts';
import type { TypeTable } from '../schema/type-table.ts';
import { badRequest, invalid } from '../status.ts';
import { decodeYaml } from '../yaml/index.ts';
import { booleanParameter, integerParameter, type Query } from './query.ts';
import type { BodyFormat } from './sent-body.ts';
import { checkDryRun } from './write-options.ts';

/** The client's expectations of the object. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The options of delete and deletecollection, from the body or, without one, from the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: Preconditions | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly dryRun: boolean;
}

/** The parts of a request that may contain options: query and body. */
export interface SentOptions {
  readonly query: Query;
  readonly body: Uint8Array;
  /** Called only if there is a body. */
  readonly format: () => BodyFormat;
  /** Called with the options in the body, for the audit event. */
  readonly onDecoded?: (options: Partial<ApiObject>) => void;
}

/** Parses and checks the options of a deletion. */
export function deleteOptions(sent: SentOptions, types: TypeTable): DeleteOptions {
  const raw = sent.body.length > 0 ? fromBody(sent, types) : fromQuery(sent.query);
  const errors = problemsOf(raw);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', resource: 'DeleteOptions' }, '', errors);
  return { ...raw, dryRun: (raw.dryRun ?? []).length > 0 };
}

interface RawOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: Preconditions | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly dryRun: readonly string[] | undefined;
}

function fromBody({ body, format: formatOf, onDecoded }: SentOptions, types: TypeTable): RawOptions {
  const format = formatOf();
  const type = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
  try {
    const options = decode(body, format, type) as Partial<RawOptions & TypeMeta>;
    checkKind(options, types);
    onDecoded?.(asAudited(options));
    return {
      gracePeriodSeconds: options.gracePeriodSeconds,
      preconditions: options.preconditions,
      orphanDependents: options.orphanDependents,
      propagationPolicy: options.propagationPolicy,
      dryRun: options.dryRun,
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const isSyntax = error.reason === 'syntax' && format === 'json';
    throw badRequest(isSyntax ? `couldn't get version/kind; json parse error: ${error.message}` : error.message, {
      cause: error,
    });
  }
}

/** Options as in audit events: upstream names a version that is never served. */
function asAudited(options: Partial<TypeMeta>): Partial<ApiObject> {
  return { ...options, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' };
}

/** Options may state their kind; any other kind is refused. */
function checkKind({ apiVersion = '', kind = '' }: Partial<TypeMeta>, types: TypeTable): void {
  if (kind === '' || kind === 'DeleteOptions') return;
  const slash = apiVersion.indexOf('/');
  const known = types.kind({
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    kind,
  });
  if (known !== undefined) throw badRequest('decoded object cannot be converted to DeleteOptions');
  const version = JSON.stringify(apiVersion);
  throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme ${SCHEME}`);
}

/** The location of Kubernetes' scheme in its message. */
const SCHEME = '"pkg/runtime/scheme.go:111"';

function decode(body: Uint8Array, format: BodyFormat, type: Struct): object {
  switch (format) {
    case 'json':
      return decodeJson(body, type).value;
    case 'yaml':
      return decodeYaml(body, type).value;
    case 'protobuf':
      return decodeProtobuf(openProtobufEnvelope(body).raw, type);
  }
}

function fromQuery(query: Query): RawOptions {
  return {
    gracePeriodSeconds: integerParameter(query, 'gracePeriodSeconds'),
    preconditions: undefined,
    orphanDependents: query.has('orphanDependents') ? booleanParameter(query, 'orphanDependents') : undefined,
    propagationPolicy: query.has('propagationPolicy') ? query.get('propagationPolicy') : undefined,
    dryRun: query.all('dryRun'),
  };
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

function problemsOf(raw: RawOptions): FieldError[] {
  const { propagationPolicy: policy } = raw;
  const errors: FieldError[] = [];
  if (raw.orphanDependents !== undefined && policy !== undefined) {
    errors.push(
      invalidValue('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  return [...errors, ...checkDryRun(raw.dryRun ?? [])];
}
