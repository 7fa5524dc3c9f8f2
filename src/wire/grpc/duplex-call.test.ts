import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bytes, echo, failureOf, open, signal, text } from './testing/channel-fixture.ts';
import { GrpcServer, type ServedCall } from './testing/grpc-server.ts';

test('a streaming call passes messages both ways as they arrive, and ends with the status', async () => {
  await using server = await GrpcServer.start({ '/s/Echo': echo });
  await using channel = open(server.address);
  const call = (await channel.connection()).duplex('/s/Echo');
  const answers = call[Symbol.asyncIterator]();

  for (const word of ['one', '', 'three'.repeat(50_000)]) {
    await call.send(bytes(word));
    expect(text((await answers.next()).value ?? bytes('none'))).toBe(word);
  }
  call.end();

  expect((await answers.next()).done).toBe(true);
});

test('a streaming call throws the server’s error after its messages', async () => {
  await using server = await GrpcServer.start({
    '/s/Fail': (call) => {
      call.send(bytes('1'));
      call.send(bytes('2'));
      call.finish({ 'grpc-status': '14', 'grpc-message': 'enough' });
    },
  });
  await using channel = open(server.address);
  const seen: string[] = [];

  const error = await failureOf(
    (async () => {
      for await (const message of (await channel.connection()).duplex('/s/Fail')) seen.push(text(message));
    })(),
  );

  expect(seen).toEqual(['1', '2']);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', message: 'enough' });
});

test('leaving the loop cancels a streaming call', async () => {
  const arrived = signal<ServedCall>();
  await using server = await GrpcServer.start({
    '/s/Ticks': (call) => {
      arrived.resolve(call);
      for (let count = 0; count < 10; count++) call.send(bytes('tick'));
    },
  });
  await using channel = open(server.address);
  const call = (await channel.connection()).duplex('/s/Ticks');
  const { stream } = await arrived.promise;
  const closed = once(stream, 'close');

  for await (const message of call) {
    expect(text(message)).toBe('tick');
    break;
  }

  await closed;
});

test('a reader that does not read holds the server back', async () => {
  let sent = 0;
  const stuck = signal<void>();
  await using server = await GrpcServer.start({
    '/s/Flood': (call) => {
      const flood = (): void => {
        while (sent < 64 * 1024 * 1024) {
          call.send(new Uint8Array(65_536));
          sent += 65_536;
          if (call.stream.writableNeedDrain) return stuck.resolve();
        }
      };
      call.stream.on('drain', flood);
      flood();
    },
  });
  await using channel = open(server.address);
  const call = (await channel.connection()).duplex('/s/Flood');

  await stuck.promise;

  expect(sent).toBeLessThan(64 * 1024 * 1024);
  call.cancel();
});
