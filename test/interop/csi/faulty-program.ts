// A driver as a program, with faults that show when it is killed. Arguments: FOLDER SOCKET FAULT
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { csiDriver, folderRecords, memoryRecords } from '../../../src/csi/index.ts';

const [root = '', socket = '', fault = ''] = process.argv.slice(2);
if (fault === 'stale-socket' && existsSync(socket)) throw new Error(`${socket} is there already`);
const at = (id: string): string => join(root, 'data', id);
const driver = csiDriver({
  name: 'program.csi.example.com',
  version: '1.0.0',
  controller: {
    records: fault === 'forgets' ? memoryRecords() : folderRecords(join(root, 'records')),
    async create({ id }) {
      if (fault === 'dies') process.exit(1);
      await mkdir(at(id), { recursive: true });
    },
    delete: ({ id }) => rm(at(id), { recursive: true, force: true }),
  },
});
void driver.serve({ listen: `unix://${socket}` }).run(new AbortController().signal);
