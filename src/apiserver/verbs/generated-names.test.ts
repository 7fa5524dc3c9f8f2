// Generated names that are already taken.
import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** Returns these suffixes, then repeats the last one. */
class ScriptedSuffixes extends SeededRandom {
  readonly #suffixes: string[];
  drawn = 0;

  constructor(suffixes: readonly string[]) {
    super('names');
    this.#suffixes = [...suffixes];
  }

  override nameSuffix(): string {
    this.drawn += 1;
    return (this.#suffixes.length > 1 ? this.#suffixes.shift() : this.#suffixes[0]) ?? '';
  }
}

const generated = { metadata: { generateName: 'm-' }, data: { by: 'second' } };

test.each(['', '?dryRun=All'])('another name is tried when a generated one is taken %s', async (query) => {
  await using api = await TestApi.open({ random: new ScriptedSuffixes(['aaaaa', 'aaaaa', 'bbbbb']) });
  const first = await api.send('POST', MAPS, { metadata: { generateName: 'm-' }, data: { by: 'first' } });
  expect(first.body.metadata.name).toBe('m-aaaaa');

  const second = await api.send('POST', MAPS + query, generated);

  expect(second).toMatchObject({ code: 201, body: { metadata: { name: 'm-bbbbb' }, data: { by: 'second' } } });
  expect(second.body.metadata.uid).not.toBe(first.body.metadata.uid);
  expect((await api.send('GET', `${MAPS}/m-aaaaa`)).body).toEqual(first.body);
});

test('after eight taken names the client is asked to retry', async () => {
  const random = new ScriptedSuffixes(['aaaaa']);
  await using api = await TestApi.open({ random });
  await api.send('POST', MAPS, { metadata: { name: 'm-aaaaa' } });
  random.drawn = 0;

  const { code, body } = await api.send('POST', MAPS, generated);

  expect(random.drawn).toBe(8);
  expect(code).toBe(409);
  expect(body).toMatchObject({ reason: 'AlreadyExists', details: { name: 'm-aaaaa', retryAfterSeconds: 1 } });
  expect(body.message).toContain('the server was not able to generate a unique name for the object');
});

test('a name that the client set is not replaced', async () => {
  await using api = await TestApi.open();
  await api.send('POST', MAPS, { metadata: { name: 'm' } });
  const { code, body } = await api.send('POST', MAPS, { metadata: { name: 'm', generateName: 'm-' } });
  expect([code, body.reason]).toEqual([409, 'AlreadyExists']);
  expect((await api.send('GET', MAPS)).body['items']).toHaveLength(1);
});
