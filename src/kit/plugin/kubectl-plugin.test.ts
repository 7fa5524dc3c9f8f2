import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Namespace, Pod } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';
import { kubectlPlugin, type PluginRunOptions } from './kubectl-plugin.ts';

const plugin = kubectlPlugin('look', {
  summary: 'Shows where it looks',
  args: 'NAME [MORE...]',
  allNamespaces: true,
  flags: {
    limit: { value: 'N', default: '10', short: 'l', help: 'How many' },
    color: { value: 'NAME', help: 'Which' },
    wide: { help: 'More' },
  },
  async run({ client, namespace, args, flags, print, table }) {
    const limit: string = flags.limit;
    const color: string | undefined = flags.color;
    const isWide: boolean = flags.wide;
    print(JSON.stringify({ namespace, args, limit, color, isWide }));
    if (args[0] === 'missing') await client.kindIn(Pod, namespace).get('missing');
    if (args[0] === 'user') {
      const { status } = await client.authentication.v1.selfsubjectreviews.create({});
      table(['USER', 'GROUPS'], [[status?.userInfo?.username, status?.userInfo?.groups?.length]]);
    }
  },
});

interface Ran {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: readonly string[];
}

async function run(args: readonly string[], options: PluginRunOptions): Promise<Ran> {
  const [lines, errors]: [string[], string[]] = [[], []];
  const code = await plugin.run(args, {
    print: (line) => lines.push(line),
    printError: (line) => errors.push(line),
    ...options,
  });
  return { code, lines, errors };
}

const nowhere = { environment: { KUBECONFIG: '/does/not/exist' } };

describe('a kubectl plugin', () => {
  test('takes the flags of kubectl from anywhere in the line, and its own', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const { client } = cluster;
    const seen = async (...args: string[]): Promise<unknown> => {
      const { lines } = await run(args, { client });
      return JSON.parse(lines[0] ?? 'null') as unknown;
    };
    const standard = { namespace: 'default', args: ['a'], limit: '10', isWide: false };
    expect(await seen('a')).toEqual(standard);
    expect(await seen('a', '-n', 'web', '--wide')).toEqual({ ...standard, namespace: 'web', isWide: true });
    expect(await seen('--namespace=web', 'a', 'b', '-l5', '--color', 'red')).toEqual({
      namespace: 'web',
      args: ['a', 'b'],
      limit: '5',
      color: 'red',
      isWide: false,
    });
    expect(await seen('-A', 'a', '--', '--wide')).toEqual({ args: ['a', '--wide'], limit: '10', isWide: false });
    expect(await seen('a', '-A', '--all-namespaces=false')).toEqual(standard);
  });

  test('says what is wrong with a line in kubectl’s words, before it looks for a cluster', async () => {
    const see = "See 'kubectl look --help' for usage.";
    const refused = async (...args: string[]): Promise<unknown> => {
      const { code, errors } = await run(args, nowhere);
      expect(code).toBe(1);
      return errors;
    };
    expect(await refused('--colour', 'x')).toEqual(['error: unknown flag: --colour', see]);
    expect(await refused('-x')).toEqual(["error: unknown shorthand flag: 'x' in -x", see]);
    expect(await refused('a', '--context')).toEqual(['error: flag needs an argument: --context', see]);
    expect(await refused('a', '--wide=much')).toEqual([
      'error: invalid argument "much" for "--wide" flag: must be true or false',
      see,
    ]);
    expect(await refused()).toEqual(['error: NAME is missing', see]);
    expect(await refused('a')).toEqual([expect.stringContaining('error: Cannot find a cluster')]);
  });

  test('shows its help without a cluster', async () => {
    const { code, lines } = await run(['--help'], nowhere);
    expect(code).toBe(0);
    expect(lines.join('\n')).toContain('Usage:\n  kubectl look NAME [MORE...] [flags]');
    expect(lines.join('\n')).toContain('  -l, --limit N          How many (default 10)');
  });

  test('a flag that is one of kubectl’s cannot be its own', () => {
    const make = (flags: Record<string, { short?: string; help: string }>) => () =>
      kubectlPlugin('odd', { summary: '', flags, run: () => undefined });
    expect(make({ context: { help: '' } })).toThrow('its flag "context" is one of kubectl\'s');
    expect(make({ name: { short: 'n', help: '' } })).toThrow('its flag "name" is one of kubectl\'s');
  });

  test('finds cluster, namespace and user as kubectl does, and completes contexts and namespaces', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    await cluster.client.kind(Namespace).create({ metadata: { name: 'web' } });
    const folder = await mkdtemp(join(tmpdir(), 'plugin-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const text = await readFile(await cluster.kubeconfig(), 'utf8');
    const kubeconfig = join(folder, 'config');
    const [context = ''] = /(?<=current-context: ).*/.exec(text) ?? [];
    await writeFile(kubeconfig, text.replace(/(\n +context:\n( +))/, '$1namespace: web\n$2'));
    const environment = { KUBECONFIG: kubeconfig };

    const user = await run(['user', '--as', 'ann', '--as-group', 'a', '--as-group', 'b'], { environment });
    expect(user.errors).toEqual([]);
    expect(JSON.parse(user.lines[0] ?? '')).toMatchObject({ namespace: 'web' });
    expect(user.lines.slice(1)).toEqual(['USER   GROUPS', 'ann    3']);
    expect((await run(['missing'], { environment })).errors).toEqual([
      'Error from server (NotFound): pods "missing" not found',
    ]);
    expect((await run(['a', '--context', 'elsewhere'], { environment })).errors).toEqual([
      expect.stringContaining('elsewhere'),
    ]);

    const completed = async (...words: string[]): Promise<readonly string[]> => {
      const lines: string[] = [];
      await plugin.complete(words, { environment, print: (line) => lines.push(line) });
      return lines;
    };
    expect(await completed('a', '--context', '')).toEqual([context, ':4']);
    expect(await completed('a', '-n', 'w')).toEqual(['web', ':4']);
    expect(await completed('--namespace=kube-s')).toEqual(['--namespace=kube-system', ':4']);
    expect(await completed('--al')).toEqual(['--all-namespaces', ':4']);
    expect(await completed('')).toEqual([':4']);
    expect(await completed('--context', 'elsewhere', '-n', '')).toEqual([':1']);
  });
});
