// npm run vectors:dns: asks miekg/dns about random and damaged messages and records what it says. Needs Go.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SeededRandom } from '../../../src/base/index.ts';
import { MessageEncoder } from '../../../src/wire/dns/index.ts';
import { askGo, buildOracle } from './go-oracle.ts';
import { MessageMaker } from './message-maker.ts';

const MESSAGES = 160;
const oracle = buildOracle();
if ('reason' in oracle) throw new Error(`Cannot record vectors: ${oracle.reason}`);
const random = new SeededRandom(1035);
const maker = new MessageMaker(random);
const encoder = new MessageEncoder();
const asked = Array.from({ length: MESSAGES }, (_, index) => {
  const bytes = encoder.encode(maker.message());
  const sent = index % 2 === 0 ? bytes : maker.damaged(bytes);
  return { bytes: Buffer.from(sent).toString('base64'), size: 512 + random.int(1500) };
});
const lines = (await askGo(oracle.path, asked)).map((verdict) => JSON.stringify(verdict));
writeFileSync(join(import.meta.dirname, 'vectors.jsonl.gz'), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
console.log(`${lines.length} messages recorded`);
