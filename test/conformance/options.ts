import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type ConformanceClass, isClass } from './classes.ts';

export interface ConformanceOptions {
  readonly classes: readonly ConformanceClass[];
  readonly focus: RegExp | undefined;
  readonly server: 'keelson' | 'kube';
  readonly update: boolean;
  /** Run nothing, only write the page. */
  readonly report: boolean;
  readonly processes: number;
  readonly timeoutMinutes: number;
  readonly limitSeconds: number;
  readonly output: string | undefined;
  /** A bundle of Keelson that is there already. */
  readonly bundle: string | undefined;
  /** Flags of `keelson up` or kube-apiserver. */
  readonly serverFlags: readonly string[];
}

export const USAGE = `usage: npm run conformance [-- FLAGS]

  --class A,B            Classes of tests to run (default A): A API server, B controllers, C containers, D network, E two nodes, G other
  --focus REGEX          Only tests whose name matches
  --server keelson|kube  Run against ours (default) or the real control plane
  --update               Write what was seen into expectations.tsv and docs/reference/conformance.md
  --report               Run nothing, write docs/reference/conformance.md from expectations.tsv
  --procs N              Tests at a time (default: four times the cores; they mostly wait)
  --timeout MINUTES      End the run after this long (default 60)
  --limit SECONDS        End one test after this long (default 120 for class A alone, else 420: one waits for a resync of quotas)
  --output DIR           For junit.xml, report.json and output.log (default .keelson/conformance/SERVER)
  --bundle FILE          Start this keelson.js instead of building one
  --server-flag FLAG     A flag of the server; may be given more than once`;

/** Reads the command line; an Error says what is wrong with it. */
export function readOptions(args: readonly string[]): ConformanceOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      class: { type: 'string', default: 'A' },
      focus: { type: 'string' },
      server: { type: 'string', default: 'keelson' },
      update: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      procs: { type: 'string', default: String(4 * availableParallelism()) },
      timeout: { type: 'string', default: '60' },
      limit: { type: 'string' },
      output: { type: 'string' },
      bundle: { type: 'string' },
      'server-flag': { type: 'string', multiple: true, default: [] },
    },
  });
  const classes = values.class.split(',');
  const wrong = classes.find((letter) => !isClass(letter));
  if (wrong !== undefined) throw new Error(`--class must be letters from A to G, got "${wrong}"`);
  if (values.server !== 'keelson' && values.server !== 'kube')
    throw new Error(`--server must be keelson or kube, got "${values.server}"`);
  if (values.update && values.server === 'kube')
    throw new Error('--update takes what Keelson does, not the real control plane');
  return {
    classes: classes.filter(isClass),
    focus: values.focus === undefined ? undefined : new RegExp(values.focus),
    server: values.server,
    update: values.update,
    report: values.report,
    processes: wholeNumber('procs', values.procs),
    timeoutMinutes: wholeNumber('timeout', values.timeout),
    limitSeconds: wholeNumber('limit', values.limit ?? (values.class === 'A' ? '120' : '420')),
    output: values.output,
    bundle: values.bundle,
    serverFlags: values['server-flag'],
  };
}

function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`--${flag} must be a whole number from 1 to 9999, got "${text}"`);
}
