import { expect, test } from 'vitest';
import { TestApi } from '../../../src/resources/testing/test-api.ts';
import { type Answer, askAbout, type AskedServer, unordered } from './answer.ts';
import { corpus } from './corpus.ts';
import { readAnswers } from './recorded.ts';

const FOLDER = '/registry/apiextensions.k8s.io/customresourcedefinitions';

function asked(api: TestApi): AskedServer {
  return {
    send: (method, path, body) => api.send(method, path, body),
    async plant(name, definition) {
      const key = `${FOLDER}/${name}`;
      const value = Buffer.from(JSON.stringify(definition ?? null));
      const operation =
        definition === undefined ? ({ type: 'delete', key } as const) : ({ type: 'put', key, value } as const);
      await api.store.commit({ conditions: [], operations: [operation] });
    },
  };
}

/** What differs, in words: most answers are long. */
function causesOf({ code, body, warnings }: Answer): unknown {
  return { code, warnings, causes: body.details?.causes, message: body.message, object: body.spec };
}

test('every definition of the corpus was recorded', () => {
  expect(readAnswers().map(({ name }) => name)).toEqual(corpus.map(({ name }) => name));
});

test('what a real server says of a definition is what ours says', async () => {
  await using api = await TestApi.open();
  const server = asked(api);
  const recorded = new Map(readAnswers().map((answer) => [answer.name, answer]));
  for (const one of corpus) {
    const theirs = recorded.get(one.name);
    if (theirs === undefined) continue; // the other test says so
    const found = await askAbout(one, server);
    const ours = theirs.isUnordered === true ? unordered(found) : found;
    expect.soft(causesOf(ours), one.name).toEqual(causesOf(theirs));
    if (ours.code < 300) expect.soft(ours, one.name).toEqual(theirs);
  }
});
