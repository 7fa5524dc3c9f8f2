import {
  badRequest,
  DecodeError,
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  encodeJson,
  invalid,
  invalidValue,
  notSupported,
  openProtobufEnvelope,
} from '../../api/index.ts';
import type { ApiObject, FieldError, Struct, TypeMeta } from '../../api/index.ts';
import type { Query } from '../request/query.ts';
import type { Call } from '../request/call.ts';
import { bodyFormat, type BodyFormat } from '../request/decode-object.ts';
import { bodyToDecode } from '../request/large-body.ts';
import { booleanParameter, checkDryRun, integerParameter } from '../request/options.ts';
import type { Services } from '../endpoint.ts';
import type { Preconditions } from '../resource.ts';

/** The options of delete and deletecollection, from the body or, without one, from the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: Preconditions | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly dryRun: boolean;
}

export async function deleteOptions(call: Call, services: Services): Promise<DeleteOptions> {
  const body = await bodyToDecode(call.request, services);
  const raw = body.length > 0 ? fromBody(body, call, services) : fromQuery(call.request.query);
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

function fromBody(body: Uint8Array, call: Call, services: Services): RawOptions {
  const type = services.types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
  try {
    const options = decode(body, bodyFormat(call.request), type) as Partial<RawOptions & TypeMeta>;
    checkKind(options, services);
    call.record.audit?.sent(asTold(options), encodeJson);
    return {
      gracePeriodSeconds: options.gracePeriodSeconds,
      preconditions: options.preconditions,
      orphanDependents: options.orphanDependents,
      propagationPolicy: options.propagationPolicy,
      dryRun: options.dryRun,
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const isSyntax = error.reason === 'syntax' && bodyFormat(call.request) === 'json';
    throw badRequest(isSyntax ? `couldn't get version/kind; json parse error: ${error.message}` : error.message, {
      cause: error,
    });
  }
}

/** Options as auditors are told of them: upstream names a version that is never served. */
function asTold(options: Partial<TypeMeta>): Partial<ApiObject> {
  return { ...options, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' };
}

/** Options may say what they are; what nobody knows cannot be options. */
function checkKind({ apiVersion = '', kind = '' }: Partial<TypeMeta>, { types }: Services): void {
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

/** Where Kubernetes keeps its kinds, as its message has it. */
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
