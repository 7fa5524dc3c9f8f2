import { runProgram } from '../../../peers/index.ts';
import type { NodeLayout } from '../node-layout.ts';

/** The rules of a node's packet filter, one a line with the chain or set that it is in, without counters. */
export async function firewallRules({ enter }: NodeLayout): Promise<readonly string[]> {
  return rulesIn(await runProgram([...enter, 'nft', 'list', 'ruleset']));
}

/** Reads what `nft list ruleset` prints. Elements of a set are lines of their own; those that expire by themselves are left out. */
export function rulesIn(listing: string): readonly string[] {
  const rules: string[] = [];
  const blocks: string[] = [];
  for (const line of listing.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    if (line === '}') blocks.pop();
    else if (/^(table|chain|set|map|flowtable|counter|ct \w+) .*\{$/.test(line)) {
      blocks.push(line.slice(0, -1).trim());
      rules.push(blocks.join(' > '));
    } else for (const rule of elementsOf(line)) rules.push([...blocks, rule].join(' > '));
  }
  return rules;
}

function elementsOf(line: string): readonly string[] {
  const plain = line
    .replaceAll(/counter packets \d+ bytes \d+/g, 'counter')
    .replaceAll(/^elements = \{|\}$/g, '')
    .trim();
  if (!/^elements = |,$/.test(line) && !line.endsWith('}')) return [plain];
  return plain
    .split(/,\s*/)
    .map((element) => element.trim())
    .filter((element) => element !== '' && !element.includes('expires '));
}

/** Rules that are in the second list and not in the first. */
export function addedRules(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Map<string, number>();
  for (const rule of before) known.set(rule, (known.get(rule) ?? 0) + 1);
  return after.filter((rule) => {
    const count = known.get(rule) ?? 0;
    known.set(rule, count - 1);
    return count <= 0;
  });
}
