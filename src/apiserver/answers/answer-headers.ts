import type { Call } from '../request/call.ts';
import { warningHeaders } from './warning-headers.ts';

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The headers of an answer: its content type, what it brings itself, and the warnings of the call. */
export function answerHeaders(call: Call, contentType: string, own?: Readonly<Record<string, string>>): Headers {
  const { texts } = call.warnings;
  if (texts.length === 0)
    return own === undefined ? { 'content-type': contentType } : { 'content-type': contentType, ...own };
  const warning = warningHeaders(texts);
  return { 'content-type': contentType, ...own, ...(warning.length === 0 ? {} : { warning }) };
}
