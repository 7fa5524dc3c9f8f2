import { headersOf, type ResponseHeaders } from '../transport.ts';

/** Something the server wants people to know, such as the use of an old API version. */
export interface Warning {
  readonly text: string;
  /** The request it is about, such as `POST /apis/apps/v1/namespaces/default/deployments`. */
  readonly request: string;
}

export type WarningHandler = (warning: Warning) => void;

/** `299 agent "text"`, several of them with commas in between (RFC 7234, section 5.5). */
const WARNING = /(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*,?\s*/y;

/** The texts of `Warning` headers; those of other codes than 299 are about caches, and nothing for us. */
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
