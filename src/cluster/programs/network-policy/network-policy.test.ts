import { expect, test } from 'vitest';
import type { FlagValues } from '../flag.ts';
import { NO_FLAGS } from '../settings/flag-texts.ts';
import type { StandaloneTools } from '../program.ts';
import { body } from './network-policy.ts';
import { program } from './program.ts';

const untouched = {} as StandaloneTools; // it is refused before it uses any

test('the program alone says what it needs, before it touches the machine', async () => {
  await expect(body.standalone?.(NO_FLAGS, untouched)).rejects.toThrow('network-policy needs --kubeconfig');
  const flags: FlagValues = { ...NO_FLAGS, list: (name) => (name === 'pod-cidr' ? ['10.244.0.0/24', '10.1'] : []) };
  await expect(body.standalone?.(flags, untouched)).rejects.toThrow(
    '--pod-cidr must be ranges such as 10.244.0.0/24, got "10.1"',
  );
});

test('a cluster runs it with a real node, unless it is turned off', () => {
  const realNode = {} as never;

  expect(program.isWanted({})).toBe(false);
  expect(program.isWanted({ realNode })).toBe(true);
  expect(program.isWanted({ realNode, networkPolicy: false })).toBe(false);
});

test('its role has what its part needs, and no more', () => {
  const { parts } = body.inCluster({
    plane: { podNetwork: { add: () => undefined } },
    options: { realNode: { name: 'n1' } },
  } as never);
  const needed = parts.flatMap(({ needs = [] }) => needs.map(({ group, resource }) => `${resource}.${group}`));
  const granted = program.access?.rules.flatMap(({ apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) => resources.map((resource) => `${resource}.${group}`)),
  );

  expect(granted?.toSorted()).toEqual(needed.toSorted());
});
