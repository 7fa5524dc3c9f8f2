import { writeFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  out: { type: 'string', value: 'FILE', help: 'Write to this file instead of standard output' },
  kubeconfig: { type: 'string', value: 'FILE', help: 'Where the cluster is' },
  context: { type: 'string', value: 'NAME', help: 'Which of its contexts' },
};

/** `keelson types`: generates TypeScript from CustomResourceDefinitions. */
export const typesCommand: Command = {
  usage: `Usage: keelson types FILE…|cluster [FLAGS]

  keelson types cert-manager.yaml --out certificates.ts
  keelson types cluster --out kinds.ts

For each kind there is an interface, and a value of the same name: client.kind(Certificate), controller(Certificate, …).

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const sources = flags.positionals;
    if (sources.length === 0) throw new UsageError('a file, or "cluster", must be given');
    const { readDefinitions, clusterDefinitions } = await import('../definitions/read-definitions.ts'); // other commands start without it
    const { typeSource } = await import('../definitions/type-source.ts');
    const { kubeconfig, context: name } = { kubeconfig: flags.text('kubeconfig'), context: flags.text('context') };
    const found = sources.includes('cluster')
      ? await clusterDefinitions({ kubeconfig, context: name, signal: context.signal })
      : await readDefinitions(sources, { conversion: { url: 'https://localhost/convert' } });
    const text = typeSource(found.map(({ definition }) => definition));
    const out = flags.text('out');
    if (out === undefined) context.print(text.trimEnd());
    else writeFileSync(out, text);
  },
};
