import { expect, test } from 'vitest';
import { type LogRecord, VirtualClock } from '../base/index.ts';
import { TransportError } from '../wire/http/index.ts';
import { Outages } from './outages.ts';
import type { Transport, TransportRequest } from './transport.ts';

const request: TransportRequest = { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal };

test('an outage is logged once when it begins and once when it ends', async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logger = (level: LogRecord['level']) => (message: string) => void lines.push(`${level} ${message}`);
  const log = {
    debug: logger('debug'),
    info: logger('info'),
    warn: logger('warn'),
    error: logger('error'),
    with: () => log,
    isEnabled: () => true,
  };
  const refused = new TransportError('connect', 'connect ECONNREFUSED');
  let isAway = false;
  const server: Transport = {
    send: async () => {
      if (isAway) throw refused;
      return { status: 200, headers: {}, body: { type: 'object', object: {} } };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const outages = new Outages({ clock, log, server: 'https://here' });
  const observed = outages.observed(server);
  await observed.send(request);
  isAway = true;
  for (const watched of ['pods', 'nodes']) {
    await expect(observed.send(request)).rejects.toBe(refused);
    outages.log.with({ watched }).warn('watch failed', { error: new Error('no answer', { cause: refused }) });
  }
  outages.log.warn('pod status was not written', { error: new Error('conflict') });
  isAway = false;
  await observed.send(request);
  await observed.send(request);
  expect(lines).toEqual([
    'warn API server cannot be reached',
    'debug watch failed',
    'debug watch failed',
    'warn pod status was not written',
    'info API server is reached again',
  ]);
});
