import { JsonBody } from '../json/index.ts';
import { StatusError } from '../status.ts';

/** JSON from a client: bytes, or the value itself from a client in the same process. */
export type SentJson = Uint8Array | JsonBody;

/** Parses the body; throws a DecodeError if it is not JSON. */
export function parsedJson(sent: SentJson): JsonBody {
  return sent instanceof JsonBody ? sent : new JsonBody(sent);
}

/** The body as UTF-8. */
export function sentBytes(sent: SentJson): Uint8Array {
  return sent instanceof JsonBody ? sent.bytes : sent;
}

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const FORMATS: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
};

/** The format of a body by its Content-Type; default JSON. Throws a Status of 415 for a format that is not accepted. */
export function bodyFormatOf(contentType: string, accepted: readonly string[] = Object.keys(FORMATS)): BodyFormat {
  if (contentType === '') return 'json';
  const mediaType = mediaTypeOf(contentType).toLowerCase();
  const format = accepted.includes(mediaType) ? FORMATS[mediaType] : undefined;
  if (format === undefined) throw unsupportedMediaType(accepted);
  return format;
}

/** A Content-Type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim() ?? '';
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}
