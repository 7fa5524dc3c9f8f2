// npm run fuzz:dns [-- SECONDS [SEED]]: random and damaged messages, read and written by us and by Go, until the time is over.
import { SeededRandom } from '../../../src/base/index.ts';
import { MessageEncoder } from '../../../src/wire/dns/index.ts';
import { compare } from './compare.ts';
import { askGo, buildOracle } from './go-oracle.ts';
import { MessageMaker } from './message-maker.ts';

const [seconds = '30', seed = '1'] = process.argv.slice(2);
const BATCH = 2000;
const SHOWN = 10;
const oracle = buildOracle();
if ('reason' in oracle) {
  console.log(`fuzz: skipped, ${oracle.reason}`);
  process.exit(0);
}
const random = new SeededRandom(Number(seed));
const maker = new MessageMaker(random);
const encoder = new MessageEncoder();
const end = Date.now() + Number(seconds) * 1000;
const totals = { messages: 0, refused: 0, different: 0 };
const explained = new Map<string, number>();
do {
  const asked = Array.from({ length: BATCH }, (_, index) => {
    const bytes = encoder.encode(maker.message());
    const sent = index % 2 === 0 ? bytes : maker.damaged(bytes);
    return { bytes: Buffer.from(sent).toString('base64'), size: 512 + random.int(1500) };
  });
  for (const verdict of await askGo(oracle.path, asked)) {
    totals.messages += 1;
    if (verdict.error !== undefined) totals.refused += 1;
    const found = compare(verdict);
    if (found === undefined) continue;
    if (found.explanation !== undefined) explained.set(found.explanation, (explained.get(found.explanation) ?? 0) + 1);
    else if ((totals.different += 1) <= SHOWN) console.log(`${verdict.bytes}\n${found.text}\n`);
  }
} while (Date.now() < end);
console.log(totals, Object.fromEntries(explained));
process.exitCode = totals.different === 0 ? 0 : 1;
