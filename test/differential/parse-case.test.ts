import { describe, expect, test } from 'vitest';
import { parseCase } from './parse-case.ts';

const place = { topic: 'patch', name: 'merge' };

describe('parseCase()', () => {
  test('reads requests with their directives, headers and bodies', () => {
    const text = [
      '# A merge patch removes what it says is null.',
      '# @needs service-account',
      '# @setup',
      '# @save version = metadata.resourceVersion',
      'POST /api/v1/namespaces/{{ns}}/configmaps',
      '',
      'metadata: {name: a}',
      '### then',
      '# @patch merge',
      'PATCH /api/v1/namespaces/{{ns}}/configmaps/a',
      'Accept: application/yaml',
      '',
      'data: {k: null}',
      '###',
      '# @events 2',
      '# @headers x-one, x-two',
      'GET /api/v1/configmaps?watch=1',
    ].join('\n');

    const { title, needsServiceAccount, steps } = parseCase(text, place);

    expect(title).toBe('A merge patch removes what it says is null.');
    expect(needsServiceAccount).toBe(true);
    expect(steps).toMatchObject([
      {
        line: 5,
        method: 'POST',
        isSetup: true,
        saves: { version: 'metadata.resourceVersion' },
        body: { type: 'object', yaml: 'metadata: {name: a}', patch: undefined },
      },
      {
        line: 10,
        headers: { Accept: 'application/yaml' },
        isSetup: false,
        body: { type: 'object', yaml: 'data: {k: null}', patch: 'merge' },
      },
      { line: 17, events: 2, moreHeaders: ['x-one', 'x-two'], body: undefined, extent: 'all' },
    ]);
  });

  test('takes a body as it stands when the request says of what type it is', () => {
    const text = '# Bad JSON.\nPOST /api/v1/nodes\nContent-Type: application/json\n\n{bad\n';

    expect(parseCase(text, place).steps[0]?.body).toEqual({ type: 'raw', text: '{bad' });
  });

  test('has another digest for another text', () => {
    const digests = ['# One.\nGET /api\n', '# Two.\nGET /api\n'].map((text) => parseCase(text, place).digest);

    expect(new Set(digests).size).toBe(2);
  });

  test.each([
    ['GET /api\n', 'line 1: the first line must be a comment'],
    ['# A title.\n# @foo\nGET /api\n', 'line 2: there is no directive "@foo"'],
    ['# A title.\nget the thing\n', 'line 2: "get the thing" is not a method and a path'],
    ['# A title.\nGET /api\nnot a header\n', 'line 3: "not a header" is not a header'],
    ['# A title.\n# @patch foo\nPATCH /api\n\n{}\n', 'no patch "foo"'],
    ['# A title.\n# @compare foo\nGET /api\n', 'cannot compare "foo"'],
    ['# A title.\n# @save x\nGET /api\n', '"@save x" has no place'],
  ])('refuses %j with the place of the mistake', (text, problem) => {
    expect(() => parseCase(text, place)).toThrow(problem);
  });
});
