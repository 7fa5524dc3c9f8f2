import { YamlBody } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';

/** A document of a YAML or JSON text. */
export interface Document {
  readonly value: unknown;
  /** The file and document, for messages. */
  readonly place: string;
}

/** The documents of a YAML or JSON text; those that are empty or only comments are left out, as kubectl does. */
export function documentsIn(text: string, file: string): readonly Document[] {
  const documents = splitDocuments(text);
  return documents.map((document, index) => {
    const place = documents.length === 1 ? `"${file}"` : `document ${index + 1} of "${file}"`;
    return { value: parse(document, place), place };
  });
}

/** The non-empty documents, each padded with empty lines so that errors have the line numbers of the file. */
function splitDocuments(text: string): readonly string[] {
  let lines = 0;
  const documents: string[] = [];
  for (const document of text.replace(/^\ufeff/, '').split(/^---(?=\s|$)/m)) {
    if (!isEmpty(document)) documents.push('\n'.repeat(lines) + document);
    lines += document.split('\n').length - 1;
  }
  return documents;
}

function isEmpty(document: string): boolean {
  return document.split('\n').every((line) => /^\s*(#.*|\.\.\.\s*)?$/.test(line));
}

function parse(document: string, place: string): unknown {
  try {
    return new YamlBody(document).untyped();
  } catch (cause) {
    throw new Error(`Cannot load ${place}: ${messageOf(cause)}`, { cause });
  }
}
