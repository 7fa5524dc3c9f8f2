import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Duration, millisecondsOf } from '../../base/index.ts';
import { type Command, UsageError } from '../command.ts';
import type { ExploreSettings, LoadedScenarios } from '../explore/load-scenarios.ts';
import type { ExploreOptions, FaultGroup } from '../../testing/index.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  run: {
    type: 'string',
    value: 'COMMAND',
    help: 'The operator, a program of any language, for a scenario in YAML (default the run of that file)',
  },
  parallel: {
    type: 'string',
    value: 'N',
    help: 'How many runs of such a program go on at the same time (default the parallel of the file, or 1)',
  },
  budget: { type: 'string', value: 'DURATION', default: '60s', help: 'How long each scenario may take' },
  plans: { type: 'string', value: 'N', default: '1000', help: 'How many plans to run at most' },
  pairs: { type: 'boolean', default: false, help: 'Try pairs of faults after all single ones' },
  faults: {
    type: 'string',
    value: 'GROUP,…',
    multiple: true,
    help: 'Groups of faults: crash, restart, stale, error, users, foreign, leader, upgrade, time, inputs, past (default all that fit)',
  },
  only: {
    type: 'string',
    value: 'NAME,…',
    multiple: true,
    help: 'Scenarios to explore (default all that FILE exports)',
  },
  seed: { type: 'string', value: 'TEXT', default: 'explore', help: 'Decides names, uids and pairs' },
  plan: { type: 'string', value: 'PLAN', help: 'Repeat one plan of a report' },
  part: {
    type: 'string',
    value: 'I/N',
    help: 'Run only the Ith of N parts of the plans, for several processes or machines',
  },
  json: { type: 'string', value: 'FILE', help: 'Write the report as JSON' },
  junit: { type: 'string', value: 'FILE', help: 'Write the report for CI systems' },
  svg: { type: 'string', value: 'DIR', help: 'Write a drawing of causes and effects for each finding' },
};

/** `keelson explore`: looks for faults that an operator does not survive. */
export const exploreCommand: Command = {
  usage: `Usage: keelson explore FILE [FLAGS]

  keelson explore scenarios.ts                      explore the scenarios that the file exports
  keelson explore scenarios.ts --junit report.xml   and write a report for CI
  keelson explore scenarios.ts --plan '{"seed":…}'  repeat one finding

  keelson explore --run ./bin/manager scenario.yaml explore a program of any language

A scenario is an object with \`app\`, a function that makes the operator, and \`steps\`, what users do, by name. The operator is
killed, shown old states, and its requests fail, at every moment that matters, each time in a copy of a cluster in this process.
A scenario in YAML is for operators that are programs: each run is a cluster of its own, which the program finds by KUBECONFIG.
The exit code is 1 if anything was found.

${describeFlags(definitions)}`,
  async run(args, { print, progress = () => undefined, signal }) {
    const flags = new Flags(args, definitions);
    const [file, ...more] = flags.positionals;
    if (file === undefined || more.length > 0) throw new UsageError('which file? One with scenarios is needed');
    const settings = settingsOf(flags);
    const { explore, scenarios } = await loaded(file, flags);
    const reports = [];
    for (const { name, scenario } of scenarios) {
      const onProgress: ExploreSettings['onProgress'] = ({ done, total, findings }) =>
        progress(`${name}: ${done} of ${total} plans, ${findings} found`);
      const report = await explore({ name, ...scenario }, { ...settings, signal, onProgress });
      print(report.text);
      reports.push(report);
    }
    const findings = reports.flatMap((report) => report.findings);
    const [json, junit, svg] = [flags.text('json'), flags.text('junit'), flags.text('svg')];
    if (json !== undefined) await writeFile(json, `${JSON.stringify(reports, undefined, 2)}\n`);
    if (junit !== undefined) await writeFile(junit, reports.map((report) => report.junit).join('\n'));
    if (svg !== undefined) {
      await mkdir(svg, { recursive: true });
      for (const [index, finding] of findings.entries())
        await writeFile(join(svg, `finding-${index + 1}.svg`), finding.svg);
    }
    return findings.length > 0 ? 1 : 0;
  },
};

/** The scenarios of a module or of a file in YAML. Other commands start without what they need. */
async function loaded(file: string, flags: Flags): Promise<Pick<LoadedScenarios, 'explore' | 'scenarios'>> {
  const run = flags.text('run');
  if (!/\.(ya?ml|json)$/.test(file)) {
    if (run !== undefined) throw new UsageError('--run needs a scenario in YAML');
    const { loadScenarios } = await import('../explore/load-scenarios.ts');
    return loadScenarios(resolve(file), flags.list('only'));
  }
  const { readScenarioFile } = await import('../explore/scenario-file.ts');
  const { explore } = await import('../../testing/index.ts');
  const scenario = await readScenarioFile(file, { run });
  const parallel = flags.integer('parallel', { min: 1, max: MAX_PARALLEL });
  const given = parallel === undefined ? scenario : { ...scenario, parallel };
  return {
    explore: (_, settings) => explore(given, exploreOptions(settings)),
    scenarios: [{ name: scenario.name ?? basename(file).replace(/\.\w+$/, ''), scenario: given }],
  };
}

function exploreOptions({ maxFaults, faults, ...settings }: ExploreSettings): ExploreOptions {
  return {
    ...settings,
    maxFaults: maxFaults === 2 ? 2 : 1,
    ...(faults === undefined ? {} : { faults: faults as readonly FaultGroup[] }),
  };
}

const MAX_PARALLEL = 64;
const GROUPS = [
  'crash',
  'restart',
  'stale',
  'error',
  'users',
  'foreign',
  'leader',
  'upgrade',
  'time',
  'inputs',
  'past',
];
const MAX_PLANS = 10_000_000;

function settingsOf(flags: Flags): Omit<ExploreSettings, 'signal' | 'onProgress'> {
  const faults = flags.list('faults');
  const unknown = faults.find((group) => !GROUPS.includes(group));
  if (unknown !== undefined) throw new UsageError(`--faults has no group "${unknown}": there are ${GROUPS.join(', ')}`);
  const plan = flags.text('plan');
  const part = partOf(flags.text('part'));
  const seed = flags.text('seed');
  return {
    ...(seed === undefined ? {} : { seed }),
    budget: durationOf(flags.text('budget') ?? '60s'),
    maxPlans: flags.integer('plans', { min: 1, max: MAX_PLANS }) ?? MAX_PLANS,
    maxFaults: flags.isSet('pairs') ? 2 : 1,
    ...(faults.length === 0 ? {} : { faults }),
    ...(plan === undefined ? {} : { plan }),
    ...(part === undefined ? {} : { part }),
  };
}

function durationOf(text: string): number {
  try {
    return millisecondsOf(text as Duration);
  } catch {
    throw new UsageError(`--budget must be a duration such as 60s or 5m, got "${text}"`);
  }
}

function partOf(text: string | undefined): ExploreSettings['part'] {
  if (text === undefined) return undefined;
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index < 1 || index > count) throw new UsageError(`--part must be I/N with I from 1 to N, got "${text}"`);
  return { index: index - 1, count };
}
