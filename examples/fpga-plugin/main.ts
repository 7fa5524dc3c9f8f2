import { readdir, readFile } from 'node:fs/promises';
import { fpgaPlugin } from './fpga-plugin.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
const [kubeletDir = '/var/lib/kubelet', classDir = '/sys/class/fpga_region'] = process.argv.slice(2);
const names = await readdir(classDir).catch(() => []); // a machine without cards
const cards = names.map(async (name) => {
  const numaNode = Number(await readFile(`${classDir}/${name}/device/numa_node`, 'utf8').catch(() => '0'));
  return { name, numaNode: Math.max(0, numaNode) };
});
await fpgaPlugin(await Promise.all(cards))
  .serve({ kubeletDir })
  .run(stop.signal);
