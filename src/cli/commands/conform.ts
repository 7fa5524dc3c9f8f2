import { writeFile } from 'node:fs/promises';
import { type SuiteKind, type SuiteReport, suiteKinds } from '../../conform/index.ts';
import { openConformCluster } from '../conform-cluster.ts';
import type { Command, CommandContext } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const shared: FlagDefinitions = {
  only: { type: 'string', value: 'CASE,…', multiple: true, help: 'Run these cases only' },
  skip: { type: 'string', value: 'CASE,…', multiple: true, help: 'Leave these cases out' },
  list: { type: 'boolean', default: false, help: 'Print the cases with the rules that they hold, and run none' },
  strict: { type: 'boolean', default: false, help: 'Fail as well for rules that should be kept' },
  timeout: { type: 'string', value: 'DURATION', default: '2m', help: 'How long one case may take' },
  'report-json': { type: 'string', value: 'FILE', help: 'Write the report as JSON' },
  'report-junit': { type: 'string', value: 'FILE', help: "Write the report as JUnit's XML" },
};

const definitions: FlagDefinitions = Object.assign({}, shared, ...suiteKinds.map(({ flags }) => flags));

/** `keelson conform KIND -- COMMAND`: judges an extension by the rules of its interface. */
export const conformCommand: Command = {
  usage: `Usage: keelson conform KIND [FLAGS] -- COMMAND

Judges an extension in any language by the rules of its interface: one case after the other, each with the sentence that it holds.

${suiteKinds.map(({ kind, synopsis, summary }) => `  keelson conform ${kind} ${synopsis}\n      ${summary}`).join('\n')}

Exits with 1 when a rule is broken that must be kept. Rules that should be kept are warnings.

${describeFlags(definitions)}`,
  async run(args, context) {
    const split = args.includes('--') ? args.indexOf('--') : args.length;
    const flags = new Flags(args.slice(0, split), definitions);
    const command = args.slice(split + 1);
    const kind = kindOf(flags.positionals);
    if (command.length === 0 && !flags.isSet('list'))
      throw new UsageError(`the program must be given after "--": keelson conform ${kind.kind} ${kind.synopsis}`);
    const conform = await import('../../conform/index.ts');
    const { messageOf, parseDuration, RealClock } = await import('../../base/index.ts');
    const { environment, signal } = context;
    const { suite, limitMs } = await (async () => {
      try {
        const open = await kind.load();
        const subject = command.length === 0 ? ['none'] : command;
        return {
          suite: await open({ command: subject, flags, environment, openCluster: openConformCluster }),
          limitMs: parseDuration(flags.text('timeout') ?? ''),
        };
      } catch (error) {
        throw new UsageError(messageOf(error));
      }
    })();
    const isWanted = wanted(
      flags,
      suite.cases.map(({ name }) => name),
    );
    if (flags.isSet('list')) {
      for (const { name, title, rule, source, level } of suite.cases.filter((each) => isWanted(each.name)))
        context.print(`${name} (${level}): ${title}\n    ${source}: ${rule}`);
      return 0;
    }
    const report = await conform.runSuite(suite, {
      subject: command.join(' '),
      clock: new RealClock(),
      signal,
      limitMs,
      isWanted,
      onCase: (each) => context.print(conform.caseText(each)),
    });
    context.print(conform.summaryText(report));
    await writeReports(report, flags, context);
    return conform.isConforming(report, { isStrict: flags.isSet('strict') }) ? 0 : 1;
  },
};

function kindOf([name, ...more]: readonly string[]): SuiteKind {
  const known = suiteKinds.map(({ kind }) => kind).join(', ');
  if (name === undefined) throw new UsageError(`what is to be judged? Known kinds: ${known}`);
  if (more.length > 0) throw new UsageError(`unexpected argument "${more[0] ?? ''}"; the program comes after "--"`);
  const found = suiteKinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new UsageError(`there is no suite for "${name}"; known kinds: ${known}`);
  return found;
}

function wanted(flags: Flags, names: readonly string[]): (name: string) => boolean {
  const [only, skip] = [new Set(flags.list('only')), new Set(flags.list('skip'))];
  const unknown = [...only, ...skip].find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`there is no case "${unknown}"; --list shows the cases`);
  return (name) => (only.size === 0 || only.has(name)) && !skip.has(name);
}

async function writeReports(report: SuiteReport, flags: Flags, { print }: CommandContext): Promise<void> {
  const { reportJson, reportJunit } = await import('../../conform/index.ts');
  for (const [flag, textOf] of [
    ['report-json', reportJson],
    ['report-junit', reportJunit],
  ] as const) {
    const path = flags.text(flag);
    if (path === undefined) continue;
    await writeFile(path, textOf(report));
    print(`report: ${path}`);
  }
}
