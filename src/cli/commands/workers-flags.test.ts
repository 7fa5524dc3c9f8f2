import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { LineLogger, RealClock } from '../../base/index.ts';
import type { CommandContext } from '../command.ts';
import { Flags } from '../flags.ts';
import { serverFlags } from '../../cluster/programs/apiserver/index.ts';
import { workersSettings } from './workers-flags.ts';

const program = { node: '/usr/bin/node', file: '/opt/keelson.js' };

function settings(args: readonly string[], given: Partial<CommandContext> = { program }) {
  const lines: string[] = [];
  const log = new LineLogger({ write: (line) => void lines.push(line), clock: new RealClock() });
  const context: CommandContext = {
    environment: {},
    signal: new AbortController().signal,
    isTerminal: false,
    print: () => undefined,
    printError: () => undefined,
    ...given,
  };
  const found = workersSettings(new Flags(args, serverFlags), context, { command: 'up', args, log });
  return { ...found, lines };
}

test('none, 0 and 1 are one process', () => {
  for (const args of [[], ['--workers=0'], ['--workers=1']]) expect(settings(args).workers).toBeUndefined();
});

test('workers are started with the command line of the main process', () => {
  expect(settings(['--workers=2']).workers).toEqual({ count: 2, program: program.file, args: ['up', '--workers=2'] });
});

test('more workers than processors are logged once', () => {
  const args = [`--workers=${Math.min(64, availableParallelism() + 1)}`];
  expect(settings(args).lines.join('')).toContain('there are more workers than processors');
  expect(settings(args, { program, environment: { KEELSON_WORKER: '1' } }).lines).toEqual([]);
});

test.each([['--workers=65'], ['--workers=-1'], ['--workers=two']])('%s is refused', (flag) => {
  expect(() => settings([flag])).toThrow('--workers must be a whole number from 0 to 64');
});

test('a server inside another process has no workers', () => {
  expect(() => settings(['--workers=2'], {})).toThrow('--workers needs a server in its own process');
});
