// node scripts/run.mjs test/vectors/schema/record.ts: asks the code of CustomResourceDefinitions what becomes of objects, and
// records the answers. Needs Go.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SeededRandom } from '../../../src/base/index.ts';
import { buildOracle } from '../cel/go-oracle.ts';
import { SchemaMaker } from './schema-maker.ts';

const TASKS = 1500;

const oracle = buildOracle(import.meta.dirname);
if (!oracle.ok) throw new Error(`Cannot record vectors: ${oracle.reason}`);
const maker = new SchemaMaker(new SeededRandom(36));
const tasks = Array.from({ length: TASKS }, () => {
  const spec = maker.schema(3);
  const object = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name: 'a' }, spec: maker.value(spec) };
  return JSON.stringify({ schema: { type: 'object', properties: { spec } }, object });
});
const { stdout, status, stderr } = spawnSync(oracle.path, {
  input: `${tasks.join('\n')}\n`,
  maxBuffer: 1 << 28,
  encoding: 'utf8',
});
if (status !== 0) throw new Error(`Cannot record vectors: ${stderr}`);
const lines = stdout
  .trim()
  .split('\n')
  .map((answer, index) => `{"task":${tasks[index] ?? ''},"answer":${answer}}`);
writeFileSync(join(import.meta.dirname, 'vectors.jsonl.gz'), gzipSync(lines.join('\n'), { level: 9 }));
console.log(`${lines.length} vectors`);
