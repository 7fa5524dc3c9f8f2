// A driver as a program, with faults that show when it is killed. Arguments: FOLDER SOCKET FAULT
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RealClock } from '../../../src/base/index.ts';
import {
  bindMount,
  csiDriver,
  type CsiNode,
  folderRecords,
  memoryRecords,
  unbindMount,
} from '../../../src/csi/index.ts';
import { Mounts, SmallShell } from '../../../src/system/index.ts';

/** Longer than it takes until the suite kills it. */
const DELETE_MS = 200;
const [root = '', socket = '', fault = ''] = process.argv.slice(2);
if (fault === 'stale-socket' && existsSync(socket)) throw new Error(`${socket} is there already`);
const at = (id: string): string => join(root, 'data', id);
const isRestarted = existsSync(join(root, 'data'));
/** What this process has made, which the next one knows nothing of. */
const [created, published] = [new Set<string>(), new Set<string>()];

/** Mounts volumes, and forgets them when it ends. */
const node: CsiNode = {
  id: 'node-1',
  async publish({ id }, { targetPath }) {
    await bindMount(at(id), targetPath);
    published.add(targetPath);
    if (fault !== 'mounts-twice-after-start' || !isRestarted) return;
    using shell = new SmallShell(new RealClock());
    await new Mounts(shell).bind(at(id), targetPath);
  },
  async unpublish(_, { targetPath }) {
    if (fault !== 'forgets-mounts' || published.has(targetPath)) await unbindMount(targetPath);
  },
};

const driver = csiDriver({
  name: 'program.csi.example.com',
  version: '1.0.0',
  controller: {
    records: fault === 'forgets' ? memoryRecords() : folderRecords(join(root, 'records')),
    async create({ id }) {
      if (fault === 'dies') process.exit(1);
      await mkdir(at(id), { recursive: true });
      created.add(id);
    },
    async delete({ id }) {
      if (fault === 'deletes-its-own') {
        if (!created.has(id)) throw new Error(`no folder of ${id} is known`);
        await new RealClock().sleep(DELETE_MS);
      }
      await rm(at(id), { recursive: true, force: true });
    },
  },
  node,
});
void driver.serve({ listen: `unix://${socket}` }).run(new AbortController().signal);
