// Regenerates the test vectors with the Go program beside this file: `npm run vectors [-- COUNT [FILE]]`.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { builtInTypes } from '../../src/api/built-in.ts';
import { travelsInProtobuf } from '../../src/api/protobuf/index.ts';

const [count = '2', file = join(import.meta.dirname, 'vectors.jsonl.gz')] = process.argv.slice(2);
const types = builtInTypes();
const names = [...types.names()].filter((name) => {
  const struct = types.struct(name);
  return struct.kind !== undefined && travelsInProtobuf(struct);
});

if (spawnSync('go', ['version']).error === undefined) {
  const made = spawnSync('go', ['run', '.', count, '1'], {
    cwd: import.meta.dirname,
    input: names.join('\n'),
    maxBuffer: 2 ** 30,
  });
  process.stderr.write(made.stderr);
  if (made.status !== 0) throw new Error(`Cannot make vectors: go run ended with ${made.status}`);
  await writeFile(file, gzipSync(made.stdout, { level: 9 }));
  console.log(`${made.stdout.toString('latin1').split('\n').length - 1} vectors of ${names.length} kinds in ${file}`);
} else {
  console.log('vectors not made: there is no go here');
}
