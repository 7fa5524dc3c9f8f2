import { headersOf, type ResponseHeaders } from '../transport.ts';

/** A warning from the server, such as about a deprecated API version. */
export interface Warning {
  readonly text: string;
  /** The request that caused it, such as `POST /apis/apps/v1/namespaces/default/deployments`. */
  readonly request: string;
}

/** Receives the warnings that API servers send with responses. */
export type WarningHandler = (warning: Warning) => void;

/** `299 agent "text"`, several of them with commas in between (RFC 7234, section 5.5). */
const WARNING = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*,?\s*/y;

/** The texts of `Warning` headers with code 299; other codes are about caches. */
export function warningTexts(headers: ResponseHeaders): readonly string[] {
  return headersOf(headers, 'warning').flatMap((header) => {
    const texts: string[] = [];
    WARNING.lastIndex = 0;
    for (let match = WARNING.exec(header); match !== null; match = WARNING.exec(header)) {
      if (match[1] === '299') texts.push((match[3] ?? '').replaceAll(/\\(.)/g, '$1'));
    }
    return texts;
  });
}
