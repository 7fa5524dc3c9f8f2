// Lets a real kube-scheduler read configuration files, and records what it makes of them.
//   npm run peers -- kube-scheduler, then: node scripts/run.mjs test/vectors/scheduler-config/record.ts
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPeers } from '../../../peers/index.ts';
import { configurationCases } from './cases.ts';
import { type RecordedConfiguration, writeRecordedConfigurations } from './recorded-configurations.ts';

const KUBECONFIG = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'none', user: {} }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
  'current-context': 'none',
});

const found = findPeers(['kube-scheduler']);
if (found.paths === undefined) {
  console.error(`Cannot record: ${found.reason}`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'keelson-scheduler-config-'));
const path = (name: string): string => join(folder, name);
writeFileSync(path('kubeconfig'), KUBECONFIG);
const recorded: Record<string, RecordedConfiguration> = {};
for (const { name, text } of configurationCases) {
  if (recorded[name] !== undefined) throw new Error(`Cannot record "${name}" twice`);
  writeFileSync(path('config'), text);
  rmSync(path('written'), { force: true });
  const flags = ['--config', 'config', '--write-config-to', 'written', '--secure-port=0'];
  const { status, stderr } = spawnSync(found.paths['kube-scheduler'], flags, { cwd: folder, encoding: 'utf8' });
  recorded[name] = status === 0 ? { written: readFileSync(path('written'), 'utf8') } : { error: failure(stderr) };
}
writeRecordedConfigurations(recorded);
rmSync(folder, { recursive: true });
const errors = Object.values(recorded).filter((each) => 'error' in each).length;
console.log(`${Object.keys(recorded).length} files, ${errors} of them refused`);

/** What follows `err=` in the last line of the log. */
function failure(log: string): string {
  const quoted = /"command failed" err=(".*")$/m.exec(log)?.[1];
  if (quoted !== undefined) return JSON.parse(quoted) as string;
  const block = /"command failed" err=<\n([\s\S]*?)\n\s*>/.exec(log)?.[1];
  if (block !== undefined) return block.replaceAll(/^\t/gm, '');
  throw new Error(`No failure in:\n${log}`);
}
