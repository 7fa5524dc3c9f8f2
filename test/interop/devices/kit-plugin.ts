// A plugin of the kit: `kit-plugin KUBELET_DIR SOCKETS`. A device is broken while the file SOCKETS/broken exists.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RealClock } from '../../../src/base/index.ts';
import { DeviceList, devicePlugin } from 'keelson/devices';

const [kubeletDir = '', sockets = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const devices = new DeviceList(['a', 'b', 'c'].map((id) => ({ id })));
const plugin = devicePlugin({
  resource: 'example.com/kit',
  devices,
  allocate: (given) => ({
    devices: given.map(({ id }) => ({ hostPath: `/dev/kit-${id}` })),
    cdiDevices: given.map(({ id }) => `example.com/kit=${id}`),
  }),
  prefer: (available, { size, mustInclude }) => [...new Set([...mustInclude, ...available])].slice(0, size),
  beforeStart: () => undefined,
});
const running = plugin.serve({ kubeletDir }).run(stop.signal);
const clock = new RealClock();
while (!stop.signal.aborted) {
  devices.setHealth('a', !existsSync(join(sockets, 'broken')));
  await clock.sleep(20, stop.signal);
}
await running;
