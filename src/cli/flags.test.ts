import { expect, test } from 'vitest';
import { UsageError } from './command.ts';
import { describeFlags, type FlagDefinitions, Flags } from './flags.ts';

const definitions: FlagDefinitions = {
  scheduler: { type: 'boolean', default: true, help: 'Run the scheduler' },
  'in-memory': { type: 'boolean', help: 'Keep nothing' },
  nodes: { type: 'string', value: 'N', default: '1', help: 'How many nodes' },
};

test('a flag that is on by default can be turned off', () => {
  expect(new Flags([], definitions).isSet('scheduler')).toBe(true);
  expect(new Flags(['--scheduler=false'], definitions).isSet('scheduler')).toBe(false);
  expect(new Flags(['--scheduler=false', '--scheduler=true'], definitions).isSet('scheduler')).toBe(true);
});

test('a flag that is off by default can be turned on, and off again', () => {
  expect(new Flags([], definitions).isSet('in-memory')).toBe(false);
  expect(new Flags(['--in-memory'], definitions).isSet('in-memory')).toBe(true);
  expect(new Flags(['--in-memory', '--in-memory=false'], definitions).isSet('in-memory')).toBe(false);
});

test('a number out of range is an error that names the range', () => {
  const flags = new Flags(['--nodes=11'], definitions);
  expect(() => flags.integer('nodes', { min: 0, max: 10 })).toThrow(UsageError);
  expect(() => flags.integer('nodes', { min: 0, max: 10 })).toThrow(
    '--nodes must be a whole number from 0 to 10, got "11"',
  );
});

test.each([[['--nodes']], [['--nodes', '-1']]])('a flag without its value is named: %j', (args) => {
  expect(() => new Flags(args, definitions)).toThrow(
    '--nodes needs a value; one that begins with "-" is written as --nodes=-…',
  );
});

test('the usage shows the default of a flag', () => {
  expect(describeFlags(definitions).split('\n')).toEqual([
    '  --scheduler  Run the scheduler (default true)',
    '  --in-memory  Keep nothing',
    '  --nodes N    How many nodes (default 1)',
  ]);
});
