import { parseArgs } from 'node:util';
import { clusterFlags, type ClusterParts, NETWORK_USAGE, readCluster } from '../../real-node/index.ts';

/** Which tests run: those of a driver that is there already, or those that deploy a driver of their own. */
export const suiteParts = {
  external: {
    pattern: /^External Storage /,
    about: 'the host path driver, started once as a process, by -storage.testdriver',
  },
  mock: {
    pattern: /^\[sig-storage\] CSI Mock /,
    about: "Kubernetes' mock driver, inside the suite or in a pod, a deployment for each test",
  },
  hostpath: {
    pattern: /\[Driver: csi-hostpath\]/,
    about: 'the host path driver with all sidecars in a pod, a deployment for each test',
  },
} as const;
export type SuitePart = keyof typeof suiteParts;

/** What does the work of the sidecars for the driver that is started once. */
export type Controllers = 'keelson' | 'sidecars';

export interface SuiteOptions {
  readonly part: SuitePart;
  readonly cluster: ClusterParts;
  readonly controllers: Controllers;
  readonly focus: RegExp | undefined;
  /** How many of the selected tests run, spread evenly; undefined runs all. */
  readonly sample: number | undefined;
  readonly processes: number;
  readonly timeoutMinutes: number;
  readonly limitSeconds: number;
  readonly output: string | undefined;
  readonly bundle: string | undefined;
}

export const USAGE = `usage: npm run conformance:storage [-- FLAGS]

  --part NAME            ${Object.entries(suiteParts)
    .map(([name, { about }], index) => `${index === 0 ? '' : ' '.repeat(25)}${name}: ${about}`)
    .join('\n')}
                         (default external)
  --server keelson|kube  On ours (default) or the real control plane
  --node NAME            kubelet (default) or keelson
  --controllers NAME     What works for the driver of part external: keelson (\`keelson csi-controller\`, default) or sidecars (Kubernetes')
${NETWORK_USAGE}
  --nodes N              Real nodes (default 1; the driver is on the first)
  --focus REGEX          Only tests whose name matches
  --sample N             Only N of the selected tests, spread evenly over them
  --procs N              Tests at a time (default 8; they mostly wait)
  --timeout MINUTES      End the run after this long (default 120)
  --limit SECONDS        End one test after this long (default 420)
  --output DIR           For junit.xml, report.json, outcomes.tsv and output.log (default .keelson/storage/PART-SERVER-NODE)
  --bundle FILE          Start this keelson.js instead of building one`;

/** Reads the command line; an Error says what is wrong with it. */
export function readOptions(args: readonly string[]): SuiteOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...clusterFlags,
      part: { type: 'string', default: 'external' },
      controllers: { type: 'string', default: 'keelson' },
      focus: { type: 'string' },
      sample: { type: 'string' },
      procs: { type: 'string', default: '8' },
      timeout: { type: 'string', default: '120' },
      limit: { type: 'string', default: '420' },
      output: { type: 'string' },
      bundle: { type: 'string' },
    },
  });
  const { part, controllers } = values;
  if (!isPart(part)) throw new Error(`--part must be ${Object.keys(suiteParts).join(', ')}, got "${part}"`);
  if (controllers !== 'keelson' && controllers !== 'sidecars')
    throw new Error(`--controllers must be keelson or sidecars, got "${controllers}"`);
  return {
    part,
    controllers,
    cluster: readCluster(values),
    focus: values.focus === undefined ? undefined : new RegExp(values.focus),
    sample: values.sample === undefined ? undefined : wholeNumber('sample', values.sample),
    processes: wholeNumber('procs', values.procs),
    timeoutMinutes: wholeNumber('timeout', values.timeout),
    limitSeconds: wholeNumber('limit', values.limit),
    output: values.output,
    bundle: values.bundle,
  };
}

function isPart(name: string): name is SuitePart {
  return Object.hasOwn(suiteParts, name);
}

function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`--${flag} must be a whole number from 1 to 9999, got "${text}"`);
}
