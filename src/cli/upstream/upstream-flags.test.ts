import { expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { apiserverDefinitions } from '../commands/apiserver.ts';
import { controllerManagerDefinitions } from '../commands/controller-manager.ts';
import { storeFlags } from '../commands/store-flags.ts';
import { upDefinitions } from '../commands/up.ts';
import { Flags } from '../flags.ts';
import { apiserverFlags } from './apiserver-flags.ts';
import { controllerManagerApartFlags, controllerManagerFlags, schedulerFlags } from './program-flags.ts';
import { checkUpstreamFlags, type UpstreamFlag, withUpstreamFlags } from './verdict.ts';

function parse(...args: readonly string[]): Flags {
  const flags = new Flags(args, withUpstreamFlags(apiserverDefinitions, apiserverFlags));
  checkUpstreamFlags(flags, apiserverDefinitions, apiserverFlags);
  return flags;
}

function obeyed(flags: readonly UpstreamFlag[]): string[] {
  return flags.filter(({ verdict, name }) => verdict === 'obeyed' && name !== 'help').map(({ name }) => name);
}

// flags that kube-apiserver does not have
const OURS = ['data-dir', 'join-token', 'log-level', 'trace-requests', 'workers', ...Object.keys(storeFlags)];

test('what is said to be obeyed is, and what is obeyed is said to be', () => {
  const own = Object.keys(apiserverDefinitions).filter((name) => !OURS.includes(name));
  expect(obeyed(apiserverFlags)).toEqual(own.sort());
  for (const name of [...obeyed(controllerManagerFlags), ...obeyed(schedulerFlags)])
    expect(upDefinitions).toHaveProperty(name);
  expect(obeyed(controllerManagerApartFlags)).toEqual(Object.keys(controllerManagerDefinitions).sort());
});

test.each([
  ['kube-apiserver', apiserverFlags, 172],
  ['kube-controller-manager', controllerManagerFlags, 148],
  ['kube-controller-manager on its own', controllerManagerApartFlags, 148],
  ['kube-scheduler', schedulerFlags, 62],
])('all flags of %s have one verdict', (_program, flags, count) => {
  const names = flags.map(({ name }) => name);
  expect(names).not.toContain('');
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(count);
});

test('a flag that cannot matter is taken', () => {
  expect(() =>
    parse('--profiling=false', '--delete-collection-workers=3', '--watch-cache-sizes', 'pods#5'),
  ).not.toThrow();
});

test('a flag that would be ignored is refused with the reason', () => {
  expect(() => parse('--etcd-servers-overrides=/events#http://a')).toThrow(UsageError);
  expect(() => parse('--etcd-servers-overrides=/events#http://a')).toThrow(
    '--etcd-servers-overrides is refused: all kinds are in one etcd',
  );
  expect(() => parse('--allow-privileged=false')).toThrow(/"true" is fine/);
});

test('a value that says what is the case anyway is taken', () => {
  expect(() => parse('--allow-privileged', '--storage-backend=etcd3', '--etcd-compaction-interval=5m0s')).not.toThrow();
  expect(() => parse('--storage-backend=etcd2')).toThrow('"etcd3" is fine');
});

test('a flag that no version has is not known', () => {
  expect(() => parse('--made-up=1')).toThrow("Unknown option '--made-up'");
});
