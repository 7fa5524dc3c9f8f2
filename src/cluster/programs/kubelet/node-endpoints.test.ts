import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { CryptoRandom, discardLogger, VirtualClock } from '../../../base/index.ts';
import { openEndpoints } from './nodes-in-cluster.ts';
import { startControlPlane } from '../../start-control-plane.ts';

test('the certificate of a node’s port is renewed when half of its time is over', async () => {
  const clock = new VirtualClock({ startMs: Date.parse('2026-01-01T00:00:00Z') });
  await using plane = await startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new VirtualClock(),
    certificateClock: clock,
    random: new CryptoRandom(),
    log: discardLogger,
    signal: new AbortController().signal,
  });
  using endpoints = await openEndpoints(plane, { names: ['a'], host: '127.0.0.1', log: discardLogger });

  const first = await shownAt(endpoints.portOf('a'));
  await clock.advance('4000h');
  expect(await shownAt(endpoints.portOf('a'))).toEqual(first);
  await clock.advance('500h');
  const second = await shownAt(endpoints.portOf('a'));
  expect(second.serialNumber).not.toBe(first.serialNumber);
  expect(second.valid_to).toMatch(/^Jul .* 2027 GMT$/);
});

async function shownAt(port: number): Promise<{ readonly serialNumber: string; readonly valid_to: string }> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber, valid_to } = socket.getPeerCertificate();
  socket.destroy();
  return { serialNumber, valid_to };
}
