import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { NetworkNamespace } from '../../cni/index.ts';

/** What plugins may leave behind, by kind: names that can be compared. */
export type MachineState = Readonly<Record<string, readonly string[]>>;

/** Looks at the machine's side of a network: interfaces, routes, rules, kept files, named namespaces. */
export async function machineState(machine: NetworkNamespace, folders: readonly string[]): Promise<MachineState> {
  const [links, routes, rules, filters] = await Promise.all([
    machine.run('ip', '-o', 'link'),
    machine.run('ip', '-o', 'route', 'show', 'table', 'all'),
    machine.run('ip', 'rule'),
    machine.run('nft', 'list', 'ruleset').catch(() => ''), // a machine without nft has no rules to leave
  ]);
  return {
    interfaces: lines(links).map((line) => (/^\d+: ([^:@]+)/.exec(line)?.[1] ?? line).trim()),
    // the kernel's own come and go with interfaces and their carrier
    routes: lines(routes).filter((line) => !/\bproto kernel\b/.test(line)),
    'routing rules': lines(rules),
    'firewall rules': withoutCounters(lines(filters)),
    files: (await Promise.all(folders.map(filesIn))).flat(),
    'network namespaces': await readdir('/run/netns').catch(() => []), // there are none
  };
}

/** What one state has more than another, as sentences. */
export function leftBehind(before: MachineState, after: MachineState): readonly string[] {
  return Object.entries(after).flatMap(([what, names]) => {
    const known = new Map<string, number>();
    for (const name of before[what] ?? []) known.set(name, (known.get(name) ?? 0) + 1);
    const more = names.filter((name) => {
      const left = known.get(name) ?? 0;
      known.set(name, left - 1);
      return left <= 0;
    });
    return more.length === 0 ? [] : [`${what}: ${shown(more)}`];
  });
}

const MAX_SHOWN = 5;

function shown(names: readonly string[]): string {
  const first = names.slice(0, MAX_SHOWN).join(', ');
  return names.length > MAX_SHOWN ? `${first} and ${names.length - MAX_SHOWN} more` : first;
}

/** Counters and handles differ without anything being left. */
function withoutCounters(rules: readonly string[]): readonly string[] {
  return rules.map((rule) => rule.replaceAll(/\bcounter packets \d+ bytes \d+/g, 'counter').trim());
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []); // it is not made yet
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(folder, relative(folder, join(entry.parentPath, entry.name))))
    .sort();
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
