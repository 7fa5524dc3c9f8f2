import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandContext } from '../command.ts';
import { rbacCommand } from './rbac.ts';

const file = resolve(import.meta.dirname, '../../../examples/foo/foo.ts');

async function printed(...args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const context: CommandContext = {
    print: (line) => lines.push(line),
    printError: () => undefined,
    signal,
    environment: {},
    isTerminal: false,
  };
  await rbacCommand.run(args, context);
  return lines.join('\n');
}

test('prints the roles of the app that a module makes', async () => {
  expect(await printed(file, '--call', 'sampleController', '--name=foo')).toContain(`kind: ClusterRole
metadata:
  name: foo
rules:
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - create
  - patch
`);
});

test('reports missing arguments', async () => {
  await expect(printed(file)).rejects.toThrow(/exports no app; --call names a function/);
  await expect(printed(file, '--call=nothing')).rejects.toThrow('--call nothing: the module exports no such function');
  await expect(printed()).rejects.toThrow('one file must be given');
});
