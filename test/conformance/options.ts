import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import {
  type AgentName,
  clusterFlags,
  type ClusterParts,
  isAgent,
  NETWORK_USAGE,
  nodeAgents,
  readCluster,
} from '../real-node/index.ts';
import { type ConformanceClass, isClass } from './classes.ts';

export interface ConformanceOptions {
  readonly classes: readonly ConformanceClass[];
  readonly focus: RegExp | undefined;
  /** How many of the selected tests run, spread evenly; undefined runs all. */
  readonly sample: number | undefined;
  readonly server: 'keelson' | 'kube';
  /** What runs the pods. */
  readonly node: 'simulated' | AgentName;
  /** The cluster with real nodes; undefined for simulated ones. */
  readonly cluster: ClusterParts | undefined;
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

const AGENTS = Object.keys(nodeAgents).join(' or ');

export const USAGE = `usage: npm run conformance [-- FLAGS]

  --class A,B            Classes of tests to run (default A): A API server, B controllers, C containers, D network, E two nodes, G other
  --focus REGEX          Only tests whose name matches
  --sample N             Only N of the selected tests, spread evenly over them
  --server keelson|kube  Run against ours (default) or the real control plane
  --node NAME            What runs the pods: simulated (default), or ${AGENTS} on a real node in namespaces of its own
${NETWORK_USAGE}
  --nodes N              Real nodes, each in namespaces of its own (default 1, and 2 for class E)
  --update               Write what was seen into expectations.tsv and docs/reference/conformance.md
  --report               Run nothing, write docs/reference/conformance.md from expectations.tsv
  --procs N              Tests at a time (default: four times the cores; they mostly wait)
  --timeout MINUTES      End the run after this long (default 60, with a real node 150)
  --limit SECONDS        End one test after this long (default 120 for class A alone, else 420: one waits for a resync of quotas)
  --output DIR           For junit.xml, report.json and output.log (default .keelson/conformance/SERVER, or SERVER-NODE with a real node)
  --bundle FILE          Start this keelson.js instead of building one
  --server-flag FLAG     A flag of the server; may be given more than once`;

/** Reads the command line; an Error says what is wrong with it. */
export function readOptions(args: readonly string[]): ConformanceOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...clusterFlags,
      class: { type: 'string', default: 'A' },
      focus: { type: 'string' },
      sample: { type: 'string' },
      update: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      procs: { type: 'string', default: String(4 * availableParallelism()) },
      timeout: { type: 'string' },
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
  const { node = 'simulated' } = values;
  if (node !== 'simulated' && !isAgent(node)) throw new Error(`--node must be simulated or ${AGENTS}, got "${node}"`);
  const misplaced = (['proxy', 'dns', 'policy', 'nodes'] as const).find((flag) => values[flag] !== undefined);
  if (node === 'simulated' && (misplaced !== undefined || values.mode !== 'parts'))
    throw new Error(`--${misplaced ?? 'mode'} is about real nodes: give --node`);
  const nodes = values.nodes ?? (classes.includes('E') ? '2' : '1');
  if (values.update && node === 'simulated' && classes.some((letter) => letter !== 'A' && letter !== 'B'))
    throw new Error('--update takes classes other than A and B from a run with a real node: give --node');
  return {
    classes: classes.filter(isClass),
    focus: values.focus === undefined ? undefined : new RegExp(values.focus),
    sample: values.sample === undefined ? undefined : wholeNumber('sample', values.sample),
    server: values.server,
    node,
    cluster: node === 'simulated' ? undefined : readCluster({ ...values, nodes }),
    update: values.update,
    report: values.report,
    processes: wholeNumber('procs', values.procs),
    timeoutMinutes: wholeNumber('timeout', values.timeout ?? (node === 'simulated' ? '60' : '150')),
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
