import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publicNamesPage } from '../../scripts/public-names.ts';

const root = join(import.meta.dirname, '..', '..');
const page = await readFile(join(root, 'docs', 'reference', 'public-names.md'), 'utf8');

/** The door's section of the page. */
function sectionOf(door: string): string {
  return page.split('\n## ').find((section) => section.startsWith(`${door}\n`)) ?? '';
}

test('the page of public names is what the doors publish', () => {
  expect(page).toBe(publicNamesPage());
});

test.each([
  ['keelson', () => import('keelson')],
  ['keelson/broker', () => import('keelson/broker')],
  ['keelson/cel', () => import('keelson/cel')],
  ['keelson/client', () => import('keelson/client')],
  ['keelson/cni', () => import('keelson/cni')],
  ['keelson/cri', () => import('keelson/cri')],
  ['keelson/csi', () => import('keelson/csi')],
  ['keelson/devices', () => import('keelson/devices')],
  ['keelson/flexvolume', () => import('keelson/flexvolume')],
  ['keelson/network', () => import('keelson/network')],
  ['keelson/node', () => import('keelson/node')],
  ['keelson/scheduler', () => import('keelson/scheduler')],
  ['keelson/server', () => import('keelson/server')],
  ['keelson/testing', () => import('keelson/testing')],
] as const)('every value of %s is on the page', async (door, load) => {
  const listed = new Set([...sectionOf(door).matchAll(/`(\w+)`/g)].map(([, name]) => name));

  expect(Object.keys(await load()).filter((name) => !listed.has(name))).toEqual([]);
});

test('the door of the kit stays small, and nothing internal is in it', async () => {
  const section = sectionOf('keelson');
  const internal = [
    'hostRuns',
    'RunTracker',
    'ELECTION_NEEDS',
    'WORK_FAILED',
    'DeltaFifo',
    'unreliableNetwork',
    'ProgramPart',
  ];

  expect(internal.filter((name) => section.includes(`\`${name}\``))).toEqual([]);
  expect(Object.keys(await import('keelson')).filter((name) => /^[a-z]/.test(name)).length).toBeLessThan(60);
  expect(section.match(/^\| `/gm)?.length).toBeLessThan(90); // beside the kinds
});

test('what each function of the kit returns is exported once in the module whose declaration file is made', async () => {
  const text = await readFile(join(import.meta.dirname, 'testdata', 'exported-results.ts'), 'utf8');
  const functions = Object.entries(await import('keelson')).filter(
    ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
  );

  const isUsed = (name: string): boolean => text.split(new RegExp(`\\b${name}\\b`)).length > 2; // imported, and then used
  expect(functions.map(([name]) => name).filter((name) => !isUsed(name))).toEqual([]);
});
