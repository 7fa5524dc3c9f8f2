// Other requests run while a large object is processed.
import { describe, expect, test } from 'vitest';
import { MERGE_PATCH, TestApi } from '../../resources/testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LARGE = { text: 'x'.repeat(100_000) };
const map = (name: string, data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

/** The number of turns of the event loop until `act` has finished. */
async function turnsOf(act: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await act();
  isDone = true;
  return turns;
}

describe('other requests run while a large object', () => {
  test.each<{ readonly what: string; readonly send: (api: TestApi) => Promise<unknown> }>([
    { what: 'is created', send: (api) => api.send('POST', MAPS, map('new', LARGE)) },
    { what: 'is updated', send: (api) => api.send('PUT', `${MAPS}/large`, map('large', { ...LARGE, more: 'y' })) },
    {
      what: 'is patched a little',
      send: (api) => api.send('PATCH', `${MAPS}/large`, { data: { a: 'b' } }, MERGE_PATCH),
    },
  ])('$what', async ({ send }) => {
    await using api = await TestApi.open();
    await api.send('POST', MAPS, map('large', LARGE));

    const turns = await turnsOf(() => send(api));

    expect(turns).toBeGreaterThan(12);
  });

  test.each([
    { what: 'is patched as a whole', type: MERGE_PATCH, least: 36 },
    { what: 'is applied', type: 'application/apply-patch+yaml', least: 48 },
  ])('$what, between all steps of that', async ({ type, least }) => {
    await using api = await TestApi.open();
    await api.send('POST', MAPS, map('large', LARGE));
    const path = type === MERGE_PATCH ? `${MAPS}/large` : `${MAPS}/large?fieldManager=m&force=true`;

    const turns = await turnsOf(() => api.send('PATCH', path, map('large', { text: 'y'.repeat(100_000) }), type));

    expect(turns).toBeGreaterThan(least);
  });

  test('in YAML is parsed', async () => {
    await using api = await TestApi.open();
    const yaml = `metadata: {name: new}\ndata:\n${Array.from({ length: 10_000 }, (_unused, index) => `  k${index}: v\n`).join('')}`;
    const call = api.callOf('POST', MAPS, { body: yaml, type: 'application/yaml' });

    const turns = await turnsOf(async () => expect(await api.server.answer(call)).toMatchObject({ code: 201 }));

    expect(turns).toBeGreaterThan(24);
  });

  test('small ones are processed without a pause', async () => {
    await using api = await TestApi.open();

    expect(await turnsOf(() => api.send('POST', MAPS, map('small', { a: 'b' })))).toBeLessThan(4);
  });
});
