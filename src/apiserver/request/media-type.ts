import { StatusError } from '../../api/index.ts';
import type { Call } from './call.ts';

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const formats: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
};

/** The format of a request's body; JSON when the client does not say. */
export function bodyFormat(call: Call): BodyFormat {
  const header = call.header('content-type') ?? '';
  if (header === '') return 'json';
  const mediaType = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const format = formats[mediaType];
  if (format !== undefined) return format;
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${Object.keys(formats).join(', ')}`,
  });
}
