import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, settle, VirtualClock } from '../base/index.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { startControlPlane } from './start-control-plane.ts';

test('a client that leaves before it reads the answer gives its seat back', async () => {
  const clock = new VirtualClock();
  await using plane = await startControlPlane({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock,
    random: new SeededRandom('transport'),
    log: discardLogger,
    signal: new AbortController().signal,
  });
  const certificate = { commonName: 'admin', organizations: ['system:masters'] };
  await using transport = new InProcessTransport(plane.server, { clock, certificate });
  const send = (path: string, signal: AbortSignal): ReturnType<typeof transport.send> =>
    transport.send({ method: 'GET', path, headers: { accept: 'application/json' }, signal });
  const executing = async (): Promise<number> => {
    const { body } = await send('/metrics', new AbortController().signal);
    if (body.type !== 'bytes') throw new Error('Cannot read metrics: they are no text');
    const pieces: Uint8Array[] = [];
    for await (const chunk of body.chunks) pieces.push(chunk);
    const lines = Buffer.concat(pieces)
      .toString()
      .matchAll(/^apiserver_flowcontrol_current_executing_requests{.*} (\d+)$/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  await settle(); // the server's own first requests
  const before = await executing();
  const leaving = new AbortController();
  await send('/api/v1/pods?watch=true', leaving.signal);
  expect(await executing()).toBe(before + 1);

  leaving.abort();

  expect(await executing()).toBe(before);
});
