import {
  type ApiObject,
  badRequest,
  bodyFormatOf,
  canonicalize,
  DecodeError,
  decodeJson,
  invalid,
  invalidValue,
  type Patched,
  type StatusError,
  type WriteOptions,
  YamlBody,
} from '../../api/index.ts';
import { allAtOnce } from '../../base/index.ts';
import type { ServedKind } from './served-kind.ts';
import type { VerbContext } from './verb-context.ts';
import { optionsOf } from './write-options.ts';

/** The limit of kube-apiserver. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

const FORMATS = ['application/json', 'application/yaml'];

/** The object in the body of a request, with defaults and without unknown fields. */
export async function decodeBody(context: VerbContext): Promise<ApiObject> {
  const { call, served, warnings } = context;
  const format = bodyFormatOf(call.header('content-type') ?? '', FORMATS);
  const { fieldValidation } = optionsOf(context);
  const body = await call.body(MAX_BODY_BYTES);
  try {
    const options = { fieldValidation, defaults: true };
    const decoded =
      format === 'yaml'
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

/** Decodes a patched object as if the client had sent it. */
export function decodePatched(
  patched: Pick<Patched, 'value' | 'quoted' | 'problems'>,
  context: VerbContext,
  { fieldValidation }: Pick<WriteOptions, 'fieldValidation'>,
): ApiObject {
  const { served, warnings } = context;
  const problems = [...patched.problems];
  const problem = (detail: string): StatusError =>
    invalid({ group: '', resource: '' }, '', [invalidValue('patch', patched.quoted(), detail)]);
  try {
    const onUnknown = (path: string): void => void problems.push(`unknown field "${path}"`);
    const object = canonicalize(patched.value, served.type, { defaults: true, onUnknown });
    if (problems.length > 0 && fieldValidation === 'Strict')
      throw problem(`strict decoding error: ${problems.join(', ')}`);
    if (fieldValidation === 'Warn') warnings.push(...problems);
    return ofKind(object, served);
  } catch (error) {
    if (error instanceof DecodeError) throw problem(error.message);
    throw error;
  }
}

/** Refuses another kind or apiVersion; missing ones are filled in. */
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
