import { expect, test } from 'vitest';
import { Flags } from '../../../cli/flags.ts';
import { embeddedStorage, storeFlags } from './store-flags.ts';

function storageOf(...args: readonly string[]): ReturnType<typeof embeddedStorage> {
  return embeddedStorage(new Flags(args, storeFlags), '/data');
}

const MIB = 1024 * 1024;

test('the embedded store keeps as much as the flags say', () => {
  expect(storageOf()).toEqual({
    type: 'durable',
    folder: '/data',
    history: { maxAgedBytes: 16 * MIB },
    checkpointAfterBytes: 16 * MIB,
    checkpointInterval: 300_000,
  });
  expect(
    storageOf('--store-history-bytes=1Mi', '--store-checkpoint-bytes=100M', '--store-checkpoint-interval=1m30s'),
  ).toMatchObject({
    history: { maxAgedBytes: MIB },
    checkpointAfterBytes: 100_000_000,
    checkpointInterval: 90_000,
  });
});

test.each([
  ['--store-history-bytes=much', '--store-history-bytes must be a number of bytes from 64Ki to 64Gi'],
  ['--store-history-bytes=-1Mi', 'got "-1Mi"'],
  ['--store-checkpoint-bytes=1Ki', '--store-checkpoint-bytes must be a number of bytes'],
  ['--store-checkpoint-bytes=1Ti', 'got "1Ti"'],
  ['--store-checkpoint-interval=0s', '--store-checkpoint-interval must be 1s at least'],
  ['--store-checkpoint-interval=soon', '--store-checkpoint-interval must be a duration'],
])('%s makes no sense', (flag, message) => {
  expect(() => storageOf(flag)).toThrow(message);
});
