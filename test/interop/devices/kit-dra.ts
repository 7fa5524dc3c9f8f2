// A driver of the kit: `kit-dra KUBELET_DIR [CDI_DIR]`. The device `gpu-0` is broken while the file KUBELET_DIR/broken exists. KUBECONFIG and NODE_NAME say where it belongs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RealClock } from '../../../src/base/index.ts';
import { DevicePools, draDriver } from 'keelson/devices';

const [kubeletDir = '', cdiDir = join(kubeletDir, 'cdi')] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const devices = new DevicePools(Array.from({ length: 9 }, (_, index) => ({ name: `gpu-${index}` })));
const driver = draDriver({
  name: 'kit.example.com',
  devices,
  prepare: (given) => ({ env: { GPUS: given.map(({ name }) => name).join(',') } }),
});
const running = driver.serve({ kubeletDir, cdiDir }).run(stop.signal);
const clock = new RealClock();
while (!stop.signal.aborted) {
  devices.setHealth('gpu-0', existsSync(join(kubeletDir, 'broken')) ? 'Unhealthy' : 'Healthy');
  await clock.sleep(20, stop.signal);
}
await running;
