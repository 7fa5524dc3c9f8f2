import { median } from '../median.ts';
import { StreamedPod } from '../streamed-pod.ts';
import type { NodePart } from './part.ts';

const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';
/** Of 80 bytes each, 5 MB together: of more than 10 MiB in a file, a log is rotated and only its newest file is printed. */
const LOG_LINES = 62_500;
const FILE_BYTES = 100 * 1024 * 1024;
const COMMANDS = 10;
const TRANSFERS = 3;

/** Commands, logs and ports, by kubectl. */
export const streamPart: NodePart = {
  name: 'streams',
  async measure({ kubectl, node, scale, add }) {
    const logLines = Math.ceil(LOG_LINES * scale);
    const fileBytes = Math.ceil(FILE_BYTES * scale);
    await using pod = await StreamedPod.start(kubectl, { image: IMAGE, nodeName: node.name, logLines, fileBytes });
    const commands = await pod.shortCommands(COMMANDS);
    add({ name: 'kubectl exec true: p50', unit: 'ms', better: 'lower' }, median(commands));
    const reads = await pod.reads(COMMANDS);
    add({ name: 'for comparison, kubectl get pod: p50', unit: 'ms', better: 'lower' }, median(reads));
    const logs = `kubectl logs of ${((logLines * 80) / 1e6).toFixed(1)} MB in lines of 80 bytes`;
    add({ name: logs, unit: 'MB/s', better: 'higher' }, await middle(() => pod.logsSpeed()));
    const forward = `kubectl port-forward of ${(fileBytes / 1e6).toFixed(0)} MB`;
    add({ name: forward, unit: 'MB/s', better: 'higher' }, await middle(() => pod.forwardSpeed()));
  },
};

/** The middle of some transfers, one after the other. */
async function middle(transfer: () => Promise<number>): Promise<number> {
  const speeds: number[] = [];
  for (let index = 0; index < TRANSFERS; index++) speeds.push(await transfer());
  return median(speeds);
}
