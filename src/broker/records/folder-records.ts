import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import { makeDurableFolder, syncFolder } from '../../system/index.ts';
import type { BrokerRecords, InstanceRecord } from './broker-records.ts';

/**
 * Records in a folder that only its owner may read, one file for each instance with its bindings. A file is replaced as a whole and written
 * through to the disk before a request is answered.
 */
export function folderRecords(folder: string): BrokerRecords {
  const pathOf = (id: string): string => join(folder, `${createHash('sha256').update(id).digest('hex')}.json`);
  return {
    async list() {
      await makeDurableFolder(folder);
      const records: InstanceRecord[] = [];
      for (const file of await readdir(folder)) {
        const path = join(folder, file);
        if (file.endsWith('.new')) await rm(path); // a write that a crash has cut off
        if (file.endsWith('.json')) records.push(await readRecord(path));
      }
      return records;
    },
    async put(record) {
      const path = pathOf(record.id);
      const file = await open(`${path}.new`, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify(record));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
      await syncFolder(folder);
    },
    async delete(id) {
      await rm(pathOf(id), { force: true });
      await syncFolder(folder);
    },
  };
}

async function readRecord(path: string): Promise<InstanceRecord> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as InstanceRecord;
  } catch (cause) {
    throw new Error(`Cannot read the record "${path}": ${messageOf(cause)}`, { cause });
  }
}
