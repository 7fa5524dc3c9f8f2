import type { IncomingHttpHeaders } from 'node:http2';

/** Names in lower case. Values of names that end in `-bin` are bytes, all others text. */
export type Metadata = Readonly<Record<string, string | Uint8Array>>;

const BINARY_SUFFIX = '-bin';
const MAX_TIMEOUT_DIGITS = 99_999_999;
/** Headers of HTTP and of gRPC itself, which are not the caller's metadata. */
const OWN_NAMES = /^(?::|grpc-(?!.*-bin$)|content-type$|date$|trailer$)/;

/** Metadata as HTTP headers. */
export function toHeaders(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(metadata)) {
    headers[name] = typeof value === 'string' ? value : Buffer.from(value).toString('base64');
  }
  return headers;
}

/** The caller's part of a server's headers or trailers. */
export function fromHeaders(headers: IncomingHttpHeaders): Metadata {
  const metadata: Record<string, string | Uint8Array> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OWN_NAMES.test(name)) continue;
    const text = Array.isArray(value) ? value.join(',') : value;
    metadata[name] = name.endsWith(BINARY_SUFFIX) ? Buffer.from(text, 'base64') : text;
  }
  return metadata;
}

/** The value of `grpc-timeout`: at most eight digits and a unit. */
export function formatTimeout(ms: number): string {
  const whole = Math.max(Math.ceil(ms), 1);
  if (whole <= MAX_TIMEOUT_DIGITS) return `${whole}m`;
  return `${Math.min(Math.ceil(whole / 1000), MAX_TIMEOUT_DIGITS)}S`;
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Milliseconds of a `grpc-timeout`; `undefined` when it is invalid. */
export function parseTimeout(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (MS_PER_UNIT[unit] ?? 0);
}

/** Decodes `grpc-message`, which is percent-encoded. */
export function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a server that does not percent-encode it
  }
}

/** Encodes a text for `grpc-message`: printable ASCII, all else percent-encoded as UTF-8. */
export function encodeMessage(text: string): string {
  return text.toWellFormed().replaceAll(/[^ -$&-~]+/g, encodeURIComponent);
}
