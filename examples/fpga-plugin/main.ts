import { readdir, readFile } from 'node:fs/promises';
import { runPlugin } from 'keelson/devices';
import { fpgaPlugin } from './fpga-plugin.ts';

const { FPGA_CLASS_DIR: classDir = '/sys/class/fpga_region' } = process.env;
const names = await readdir(classDir).catch(() => []); // a machine without cards
const cards = names.map(async (name) => {
  const numaNode = Number(await readFile(`${classDir}/${name}/device/numa_node`, 'utf8').catch(() => '0'));
  return { name, numaNode: Math.max(0, numaNode) };
});
await runPlugin(fpgaPlugin(await Promise.all(cards)));
