// Records what client-go's recorders of events send: node scripts/run.mjs test/vectors/events/record.ts (it needs go).
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sequences } from './sequences.ts';

const folder = await mkdtemp(join(tmpdir(), 'keelson-events-'));
const input = join(folder, 'sequences.json');
const output = join(folder, 'recorded.json');
await writeFile(input, JSON.stringify(sequences));
const { status, stdout, stderr } = spawnSync('go', ['test', '-count=1', '-run', 'TestRecord', '.'], {
  cwd: import.meta.dirname,
  env: { ...process.env, SEQUENCES: input, RECORDED: output },
  encoding: 'utf8',
});
if (status !== 0) throw new Error(`Cannot record: go test ended with ${status}: ${stdout}${stderr}`);
const recorded = JSON.parse(await readFile(output, 'utf8')) as Record<string, readonly object[]>;
const texts = Object.entries(recorded).map(([name, writes]) => {
  const lines = writes.map((write) => `    ${JSON.stringify(write)}`);
  return `  ${JSON.stringify(name)}: [\n${lines.join(',\n')}\n  ]`;
});
await writeFile(join(import.meta.dirname, 'recorded.json'), `{\n${texts.join(',\n')}\n}\n`);
await rm(folder, { recursive: true });
console.log(`${texts.length} sequences recorded`);
