import { expect, test } from 'vitest';
import type { LogRecord } from '../../base/index.ts';
import { discardLogger } from '../../base/index.ts';
import { TestApi } from '../testing/test-api.ts';
import { alwaysAdmit, alwaysDeny } from './always-admit.ts';

test('AlwaysDeny refuses all writes', async () => {
  await using api = new TestApi({}, (parts) => [alwaysDeny(parts)]);
  const { code, body } = await api.send('POST', '/api/v1/namespaces', { metadata: { generateName: 'n-' } });
  expect([code, body.message]).toEqual([
    403,
    'namespaces "n-" is forbidden: admission control is denying all modifications',
  ]);
});

test.each([
  ['AlwaysAdmit', alwaysAdmit],
  ['AlwaysDeny', alwaysDeny],
])('%s says at the start that it should not be there', (name, make) => {
  const said: LogRecord['message'][] = [];
  expect(make({ log: { ...discardLogger, warn: (message: string) => void said.push(message) } }).name).toBe(name);
  expect(said).toEqual([
    `${name} admission controller is deprecated. Please remove this controller from your configuration files and scripts.`,
  ]);
});
