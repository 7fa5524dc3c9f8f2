import { readFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import type { ExpressionReport, NamedText } from './cel-evaluation.ts';
import { parsePath } from './cel-schema.ts';

const definitions: FlagDefinitions = {
  input: {
    type: 'string',
    value: 'FILE',
    help: 'The data: `self` in rules, `object` in policies; - is standard input',
  },
  schema: {
    type: 'string',
    value: 'FILE',
    help: 'A CustomResourceDefinition, or a schema, that types and bounds the data',
  },
  version: {
    type: 'string',
    value: 'NAME',
    help: 'Which version of the CustomResourceDefinition (default: that of the data)',
  },
  path: { type: 'string', value: 'PATH', help: 'Where in data and schema the rule stands, such as spec.backends[0]' },
  old: { type: 'string', value: 'FILE', help: 'The data as it was before: `oldSelf` or `oldObject`' },
  params: { type: 'string', value: 'FILE', help: 'The `params` of a policy' },
  output: { type: 'string', value: 'FORMAT', default: 'text', help: 'text or json' },
};

/** `keelson cel`: tries an expression. */
export const celCommand: Command = {
  usage: `Usage: keelson cel EXPRESSION [FLAGS]

  keelson cel 'self.replicas <= 5' --input web.yaml
  keelson cel 'self.spec.replicas <= 5' --input web.yaml --schema crd.yaml

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [expression, ...others] = flags.positionals;
    if (expression === undefined) throw new UsageError('an expression must be given');
    if (others.length > 0) throw new UsageError(`unexpected argument "${others[0] ?? ''}"; quote the expression`);
    const output = flags.text('output');
    if (output !== 'text' && output !== 'json')
      throw new UsageError(`--output must be text or json, got "${output ?? ''}"`);
    const given = {
      input: fileOf(flags, 'input'),
      schema: fileOf(flags, 'schema'),
      old: fileOf(flags, 'old'),
      params: fileOf(flags, 'params'),
      version: flags.text('version'),
      path: pathOf(flags),
    };
    const { evaluateExpression } = await import('./cel-evaluation.ts'); // other commands start without it
    const { describeReport } = await import('./cel-report.ts');
    const report: ExpressionReport = evaluateExpression(expression, given);
    const { text, warning, failure } = describeReport(report, output);
    if (text !== undefined) context.print(text);
    if (warning !== undefined) context.printError(warning);
    if (failure !== undefined) throw new Error(failure);
  },
};

function fileOf(flags: Flags, flag: string): NamedText | undefined {
  const name = flags.text(flag);
  if (name === undefined) return undefined;
  try {
    return { name, text: readFileSync(name === '-' ? 0 : name, 'utf8') };
  } catch (cause) {
    throw new Error(`Cannot read --${flag} "${name}"`, { cause });
  }
}

function pathOf(flags: Flags): readonly (string | number)[] {
  const text = flags.text('path');
  const path = text === undefined ? [] : parsePath(text);
  if (path === undefined) throw new UsageError(`--path must be a path such as spec.backends[0], got "${text ?? ''}"`);
  return path;
}
