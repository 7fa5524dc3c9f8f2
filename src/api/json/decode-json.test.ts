import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { DecodeError } from './decode-error.ts';
import { decodeJson } from './decode-json.ts';
import { JsonBody } from './json-body.ts';
import { typeMetaOf } from './type-meta.ts';

const types = builtInTypes();

/** What a real kube-apiserver 1.36.3 answered to a POST with strict field validation: kind, apiVersion, body, code, message. */
type Answer = readonly [
  kind: string,
  apiVersion: string,
  body: string | { readonly repeat: string; readonly times: number },
  code: number,
  message: string,
];

const answers = JSON.parse(
  readFileSync(new URL('testdata/decode-answers.json', import.meta.url), 'utf8'),
) as readonly Answer[];

/** What the server says around the decoder's own words. */
function serverMessage(kind: string, apiVersion: string, body: string): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const struct = types.kind({ group, version, kind });
  if (struct === undefined) throw new Error(`No kind ${kind}`);
  try {
    typeMetaOf(new JsonBody(body));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const prefix = error.reason === 'syntax' ? "couldn't get version/kind; json parse error: " : '';
    return `the object provided is unrecognized (must be of type ${kind}): ${prefix}${error.message}`;
  }
  try {
    decodeJson(body, struct, { fieldValidation: 'Strict' });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`;
  }
  return '';
}

describe('decodeJson() says what a real API server says', () => {
  test.each(answers)('%s %s %j', (kind, apiVersion, source, _code, message) => {
    const body = typeof source === 'string' ? source : source.repeat.repeat(source.times);

    // the server quotes the beginning of a body that it does not recognize
    expect(serverMessage(kind, apiVersion, body)).toBe(message.replace(/^(the object provided is unrecognized.*) \(.*\)$/s, '$1'));
  });
});
