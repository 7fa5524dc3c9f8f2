// `npm run vectors:assignment [-- --cases 600 --seed TEXT]`: lets the CPU, memory, device and topology managers of a kubelet decide about pods on
// machines made up at random, and records what each container gets. They run in a mount namespace of their own, because the device manager
// keeps its checkpoint in /var/lib/kubelet whatever it is told.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { findPeer } from '../../../peers/index.ts';
import { madeTopology, parseCpuList } from '../../../src/assignment/index.ts';
import { SeededRandom } from '../../../src/base/index.ts';
import { RandomCase } from './random-case.ts';
import { type Case, type Decision, RESERVED, RESOURCE, writeCases } from './recorded-decisions.ts';

interface Answer {
  readonly error?: string;
  readonly decisions?: readonly Decision[];
}

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '600' }, seed: { type: 'string', default: 'assignment' } },
});

/** A case as the program reads it. */
function questionOf({ shape, distances, options, devices, steps }: Case): object {
  const { processors, numaNodes } = madeTopology(shape);
  const machine = {
    processors,
    numaNodes: numaNodes.map(({ id, memoryBytes, distances: own }) => ({
      ...{ id, memoryBytes, hugePages: shape.hugePagesPerNumaNode ?? 0, distances: distances?.[id] ?? own },
    })),
  };
  // a kubelet reserves what is listed in place of the amounts that it is configured with
  const listed = parseCpuList(options.reservedSystemCPUs).length;
  const reserved = listed === 0 ? RESERVED : { ...RESERVED, cpu: String(listed) };
  return { machine, options, reserved, resource: RESOURCE, devices, steps };
}

function answersOf(program: string, cases: readonly Case[]): readonly Answer[] {
  const script =
    'mount --make-rprivate / && mkdir -p /var/lib/kubelet && mount -t tmpfs tmpfs /var/lib/kubelet && exec "$1"';
  const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', program], {
    input: cases.map((each) => `${JSON.stringify(questionOf(each))}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`Cannot record: the program ended with ${status}: ${stderr.slice(-2000)}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

const { path: program, reason } = findPeer('assignment-recorder');
if (program === undefined || process.getuid?.() !== 0) {
  console.error(`Cannot record: ${reason ?? 'it needs root'}`);
  process.exit(1);
}
const random = new RandomCase(new SeededRandom(values.seed));
const cases = Array.from({ length: Number(values.cases) }, () => random.next());
const recorded = answersOf(program, cases).map(({ error, decisions = [] }, index) => {
  const asked = cases[index];
  if (asked === undefined || error !== undefined) throw new Error(`Cannot record case ${index}: ${error}`);
  return { ...asked, decisions };
});
writeCases(recorded);
const all = recorded.flatMap(({ steps, decisions }) => decisions.filter((_, index) => 'uid' in (steps[index] ?? {})));
const rejected = all.filter(({ reason: why }) => why !== undefined).length;
console.log(`${recorded.length} cases, ${all.length} pods, ${rejected} of them rejected`);
