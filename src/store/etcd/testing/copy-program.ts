// A program that copies a snapshot into etcd, to be killed by a test. Arguments: the file, the address of etcd, the
// prefix.
import { writeSync } from 'node:fs';
import { CryptoRandom, keepAlive, RealClock } from '../../../base/index.ts';
import { openSnapshotFile } from '../../snapshot/snapshot-file.ts';
import { fillEtcd } from '../copy/fill-etcd.ts';

const [file = '', endpoint = '', prefix = ''] = process.argv.slice(2);
using _alive = keepAlive();
await using snapshot = await openSnapshotFile(file);
writeSync(1, 'begun\n');
const options = { endpoints: [endpoint], prefix, clock: new RealClock(), random: new CryptoRandom() };
const report = await fillEtcd(snapshot, { ...options, from: file, isFinal: async () => true });
writeSync(1, `${JSON.stringify(report)}\n`);
