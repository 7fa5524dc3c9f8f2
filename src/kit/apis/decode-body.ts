import {
  type ApiObject,
  badRequest,
  canonicalize,
  DecodeError,
  decodeJson,
  type FieldValidation,
  invalid,
  invalidValue,
  StatusError,
  YamlBody,
} from '../../api/index.ts';
import { allAtOnce } from '../../base/index.ts';
import type { ServedKind } from './served-kind.ts';
import type { VerbContext } from './verb-context.ts';

/** As much as kube-apiserver takes. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

const FORMATS = ['application/json', 'application/yaml'];
const VALIDATIONS: readonly string[] = ['Ignore', 'Warn', 'Strict'];

/** The object in the body of a request, with defaults, and without fields that its schema does not know. */
export async function decodeBody(context: VerbContext): Promise<ApiObject> {
  const { call, served, target, warnings } = context;
  const contentType = (call.header('content-type') ?? 'application/json').split(';', 1)[0]?.trim() ?? '';
  if (!FORMATS.includes(contentType)) throw unsupported(FORMATS);
  const fieldValidation = fieldValidationOf(target.query);
  const body = await call.body(MAX_BODY_BYTES);
  try {
    const options = { fieldValidation, defaults: true };
    const decoded =
      contentType === 'application/yaml'
        ? allAtOnce(allAtOnce(YamlBody.parsing(body)).decoding(served.type, options))
        : decodeJson(body, served.type, options);
    warnings.push(...decoded.warnings);
    return ofKind(decoded.value, served);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = served.apiVersion.split('/')[1];
    throw badRequest(`${served.kind} in version "${version}" cannot be handled as a ${served.kind}: ${error.message}`, {
      cause: error,
    });
  }
}

/** What a patch has made of an object, read as if it had been sent. */
export function decodePatched(value: unknown, context: VerbContext): ApiObject {
  const { served, target, warnings } = context;
  const fieldValidation = fieldValidationOf(target.query);
  const unknown: string[] = [];
  const problem = (detail: string): StatusError =>
    invalid({ group: '', resource: '' }, '', [invalidValue('patch', JSON.stringify(value), detail)]);
  try {
    const onUnknown = (path: string): void => void unknown.push(`unknown field "${path}"`);
    const object = canonicalize(value, served.type, { defaults: true, onUnknown });
    if (unknown.length > 0 && fieldValidation === 'Strict')
      throw problem(`strict decoding error: ${unknown.join(', ')}`);
    if (fieldValidation === 'Warn') warnings.push(...unknown);
    return ofKind(object, served);
  } catch (error) {
    if (error instanceof DecodeError) throw problem(error.message);
    throw error;
  }
}

/** Refuses another kind or version; what does not say is taken to be right. */
function ofKind(value: object, served: ServedKind): ApiObject {
  const { kind, apiVersion, metadata, ...rest } = value as Partial<ApiObject>;
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== served.apiVersion)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${served.apiVersion})`,
    );
  if (kind !== undefined && kind !== '' && kind !== served.kind)
    throw badRequest(
      `${kind} in version "${served.apiVersion.split('/')[1]}" cannot be handled as a ${served.kind}: ` +
        `no kind "${kind}" is registered for version "${served.apiVersion}"`,
    );
  return { kind: served.kind, apiVersion: served.apiVersion, metadata: { ...metadata }, ...rest };
}

/** `Warn` unless the client says otherwise, as kube-apiserver does. */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const asked = query.get('fieldValidation') ?? '';
  if (asked === '') return 'Warn';
  if (!VALIDATIONS.includes(asked))
    throw badRequest(`fieldValidation: Unsupported value: "${asked}": supported values: "Ignore", "Strict", "Warn"`);
  return asked as FieldValidation;
}

export function unsupported(offered: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`;
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}
