// Logs, commands and forwarded ports of a pod of a real node, by kubectl: what `npm run bench:streams` runs beside our server and
// beside kube-apiserver. Its cluster is that of $KUBECONFIG.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { runProgram } from '../peers/index.ts';
import { median } from './median.ts';
import { StreamedPod } from './streamed-pod.ts';

const COPIED_BYTES = 256 * 1024 * 1024;
const SHORT_COMMANDS = 12;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, name: { type: 'string' } } });

const images = await runProgram(['kubectl', 'get', 'nodes', '-o', 'jsonpath={.items[0].status.images[*].names[*]}']);
const image = images.split(' ').find((name) => /\/busybox:/.test(name));
if (image === undefined) throw new Error('The node has no image of busybox: npm run conformance:images makes it');
const options = { image, logLines: 62_500, fileBytes: 128 * 1024 * 1024 };
await using pod = await StreamedPod.start({ program: 'kubectl', flags: [] }, options);

const rows: Readonly<Record<string, () => Promise<number>>> = {
  'logs of 5 MB, MB/s': () => pod.logsSpeed(),
  'exec of 268 MB, MB/s': () => pod.commandSpeed(COPIED_BYTES),
  'exec true, ms': async () => median(await pod.shortCommands(SHORT_COMMANDS)),
  'port-forward of 134 MB, MB/s': () => pod.forwardSpeed(),
};
for (const [name, measure] of Object.entries(rows)) {
  const seen: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) seen.push(await measure());
  console.log(
    `${values.name ?? 'server'}: ${name}: ${seen.map((each) => each.toFixed(1)).join(', ')}; load ${loadavg()[0]?.toFixed(1)}`,
  );
}
