// A plugin of the kit for real nodes: `node-plugin FOLDER COUNT`. Device dev-N is broken while the file FOLDER/broken-N exists. Containers note in
// FOLDER/held which devices they hold.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DeviceList, devicePlugin } from 'keelson/devices';
import { RealClock, SeededRandom } from '../../../src/base/index.ts';

const [folder = '', count = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const clock = new RealClock();
const random = new SeededRandom(String(process.pid));
const ids = Array.from({ length: Number(count) }, (_, index) => `dev-${index}`);
const devices = new DeviceList(ids.map((id) => ({ id })));
const plugin = devicePlugin({
  resource: 'example.com/kit',
  devices,
  async allocate(given) {
    await clock.sleep(random.int(150)); // so that a kill meets calls
    return {
      env: { DEVICES: given.map(({ id }) => id).join(' ') },
      mounts: [{ hostPath: join(folder, 'held'), containerPath: '/held' }],
    };
  },
});
const running = plugin.serve().run(stop.signal);
while (!stop.signal.aborted) {
  for (const id of ids) devices.setHealth(id, !existsSync(join(folder, id.replace('dev', 'broken'))));
  await clock.sleep(100, stop.signal);
}
await running;
