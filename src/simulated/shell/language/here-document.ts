import type { ScriptCursor } from './parse-word.ts';
import type { Word } from './syntax.ts';

/** A here-document whose text has not been read yet. */
export interface HereDocument {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  fill(body: Word): void;
}

/** Steps over the lines of a here-document and the line that ends it; returns the text, not yet expanded. */
export function readHereDocument({ delimiter, stripsTabs }: HereDocument, cursor: ScriptCursor): string {
  const lines: string[] = [];
  while (cursor.at < cursor.end) {
    const newline = cursor.text.indexOf('\n', cursor.at);
    const end = newline === -1 ? cursor.end : newline;
    const line = cursor.text.slice(cursor.at, end);
    cursor.at = Math.min(cursor.end, end + 1);
    const kept = stripsTabs ? line.replace(/^\t+/, '') : line;
    if (kept === delimiter) break;
    lines.push(`${kept}\n`);
  }
  return lines.join('');
}
