import { readdir, readFile } from 'node:fs/promises';
import { runPlugin } from 'keelson/devices';
import { gpuDriver } from './gpu-dra.ts';

const { GPU_CLASS_DIR: classDir = '/sys/class/drm' } = process.env;
const found = await readdir(classDir).catch(() => []); // a machine without cards
const names = found.filter((name) => /^card\d+$/.test(name));
const models = await Promise.all(names.map((name) => readFile(`${classDir}/${name}/device/device`, 'utf8')));
await runPlugin(gpuDriver(names.map((name, index) => ({ name, model: models[index]?.trim() ?? '', memory: '16Gi' }))));
