import { expect, test } from 'vitest';
import { HookPlane, patching } from '../testing/hook-plane.ts';

// Failures of single calls are recorded in test/vectors/admission. These tests need more than one answer.

const CALLING = 'Internal error occurred: failed calling webhook "hook.acme.dev": failed to call webhook: ';

test('an answer without an end is cut off, and nothing is written', async () => {
  const hooks = await HookPlane.start();
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  let written = 0;
  await hooks.configure('validating', 'hook', {
    answer: (_review, response) => {
      const more = (): void => {
        while (!response.destroyed && written < 1024 * chunk.length) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    },
  });
  const { code, body } = await hooks.createConfigMap('web');
  expect(code).toBe(500);
  expect(body['message']).toBe(
    `${CALLING}unexpected error when reading response body. Please retry. Original error: the answer has more than 33554432 bytes`,
  );
  expect(written).toBeLessThan(64 * chunk.length);
  expect(await hooks.hasConfigMap('web')).toBe(false);
});

test('a slow webhook whose failures are ignored costs its timeout and no more', async () => {
  const hooks = await HookPlane.start();
  const arrived = new Promise<void>((resolve) => {
    hooks.answers.set('hook', () => resolve());
  });
  await hooks.configure('mutating', 'hook', { timeoutSeconds: 3, failurePolicy: 'Ignore' });
  const created = hooks.createConfigMap('web');
  await arrived;
  await hooks.plane.clock.advance('3s');
  const { code, annotations } = await created;
  expect(code).toBe(201);
  expect(annotations).toMatchObject({
    'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': 'hook.acme.dev',
    'mutation.webhook.admission.k8s.io/round_0_index_0':
      '{"configuration":"hook","webhook":"hook.acme.dev","mutated":false}',
  });
});

test('a webhook that never stops changing the object is asked twice', async () => {
  const hooks = await HookPlane.start();
  const answer = () => patching({ op: 'add', path: `/metadata/labels/n${hooks.asked.length}`, value: 'x' });
  await hooks.configure('mutating', 'a', { answer, reinvocationPolicy: 'IfNeeded' });
  await hooks.configure('mutating', 'b', { answer, reinvocationPolicy: 'IfNeeded' });
  const { body } = await hooks.createConfigMap('web', { own: 'yes' });
  expect(hooks.asked).toEqual(['a', 'b', 'a', 'b']);
  expect(body['metadata']).toMatchObject({ labels: { n1: 'x', n2: 'x', n3: 'x', n4: 'x' } });
});

test('a webhook may call back into the API while it is asked', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('mutating', 'hook', {
    answer: async ({ request }) => {
      if (request['name'] === 'web') await hooks.createConfigMap('made-by-webhook');
      return { allowed: true };
    },
  });
  expect((await hooks.createConfigMap('web')).code).toBe(201);
  expect(await hooks.hasConfigMap('made-by-webhook')).toBe(true);
});

test('webhook calls that recursively trigger requests end with their timeout', async () => {
  const hooks = await HookPlane.start();
  const nested: Promise<unknown>[] = [];
  const allWaiting = new Promise<void>((resolve) => {
    hooks.answers.set('hook', () => {
      if (nested.length === 20) resolve();
      else nested.push(hooks.createConfigMap(`nested-${nested.length}`));
    });
  });
  await hooks.configure('mutating', 'hook');
  const created = hooks.createConfigMap('web');
  await allWaiting;
  await hooks.plane.clock.advance('10s');
  const message = `${CALLING}Post "https://localhost:${hooks.server.port}/hook?timeout=10s": context deadline exceeded`;
  expect(await created).toMatchObject({ code: 500, body: { message } });
  expect(await Promise.all(nested)).toMatchObject(nested.map(() => ({ code: 500 })));
  expect(await hooks.hasConfigMap('nested-0')).toBe(false);
});

test('a redirect is not followed, and nothing is written', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('validating', 'hook', {
    answer: (_review, response) => {
      response.writeHead(307, { location: `https://localhost:${hooks.server.port}/elsewhere` }).end();
    },
  });
  const { code, body } = await hooks.createConfigMap('web');
  expect(code).toBe(500);
  expect(body['message']).toContain(CALLING);
  expect(hooks.asked).toEqual(['hook']);
  expect(await hooks.hasConfigMap('web')).toBe(false);
});
