import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { openDurableStore } from '../../store/index.ts';
import { runProgram } from '../program.ts';
import { storeCommand } from './store.ts';

/** Runs `keelson store`; returns its output and, last, its error. */
async function run(data: string, ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const context = {
    environment: {},
    signal: new AbortController().signal,
    isTerminal: false,
    print,
    printError: print,
  };
  await storeCommand.run([...args, '--data-dir', data], context).catch((error: unknown) => lines.push(String(error)));
  return lines;
}

test('keelson store reports missing acknowledged writes, and drops them with --accept-loss', async () => {
  const data = await mkdtemp(join(tmpdir(), 'keelson-command-'));
  const folder = join(data, 'store');
  try {
    const options = { clock: new RealClock(), random: new CryptoRandom() };
    {
      await using store = await openDurableStore(folder, options);
      for (const key of ['/a', '/b']) {
        await store.commit({ conditions: [], operations: [{ type: 'put', key, value: Buffer.from('1') }] });
      }
    }
    expect((await run(data, 'verify')).slice(-2)).toEqual(['2 objects at revision 2', 'the store is sound']);
    expect(await run(data, 'repair')).toEqual(['the store is sound: 2 objects at revision 2']);
    const log = join(folder, 'log-0000000001');
    const content = await readFile(log);
    await truncate(log, content.indexOf('KFr1', 100)); // the second of three frames

    const loss = expect.stringContaining('revision 2 is lost') as string;
    expect((await run(data, 'verify')).slice(-2)).toEqual([loss, `Error: the store in "${folder}" is damaged`]);
    await expect(openDurableStore(folder, options)).rejects.toThrow(
      '"keelson store repair" reports what can still be read',
    );
    expect(await run(data, 'repair')).toEqual([
      expect.stringMatching(/^lost: .*revision 2 is lost/),
      'lost: revision 2 is missing',
      '1 objects can be read',
      expect.stringContaining('--accept-loss goes on without the rest'),
    ]);
    expect((await run(data, 'repair', '--accept-loss')).at(-1)).toMatch(
      /^the store goes on with 1 objects at revision 1000002/,
    );
    expect((await run(data, 'verify')).at(-1)).toBe('the store is sound');
  } finally {
    await rm(data, { recursive: true });
  }
});

test('a store in use: by which process, and what to do; keelson store check when it is stopped', async () => {
  const data = await mkdtemp(join(tmpdir(), 'keelson-command-'));
  const printed = async (...args: readonly string[]): Promise<string> => {
    let text = '';
    const stream = { write: (more: string) => void (text += more) };
    await runProgram([...args, '--data-dir', data], { env: {}, stdout: stream, stderr: stream, once: () => undefined });
    return text;
  };
  try {
    {
      await using _store = await openDurableStore(join(data, 'store'), {
        clock: new RealClock(),
        random: new CryptoRandom(),
      });
      const refused = await printed('store', 'check');
      expect(refused).toContain(
        `Cannot open store "${data}/store": another process has it open (process id ${process.pid}`,
      );
      expect(refused).toContain('\nstop that process first, or use another folder: --data-dir DIR\n');
    }
    expect(await printed('store', 'check')).toContain('the store is sound\n');
    expect(await printed('store', 'check', data)).toContain(
      `Cannot check "${data}" as a snapshot: it is a folder; to check the store in it: --data-dir ${data}`,
    );
  } finally {
    await rm(data, { recursive: true });
  }
});
