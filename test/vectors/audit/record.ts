// Records the audit events that a real kube-apiserver makes of the requests in cases.ts.
//   node scripts/run.mjs test/vectors/audit/record.ts
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import { writeVectors } from '../apply/vector.ts';
import { eventsOf, playCases } from './audit-player.ts';
import { POLICY } from './cases.ts';

const folder = await mkdtemp(join(tmpdir(), 'audit-'));
const [policy, log] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
await writeFile(policy, POLICY);
{
  await using kube = await startKube({
    apiserverFlags: [
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${log}`,
      '--runtime-config=networking.k8s.io/v1beta1=true',
      '--disable-admission-plugins=ServiceAccount',
    ],
  });
  await playCases(kube.url);
  await new Promise((resolve) => void setTimeout(resolve, 2000)); // until the watches are over
}
const recorded = eventsOf(await readFile(log, 'utf8'));
writeVectors(join(import.meta.dirname, 'recorded.jsonl.gz'), recorded);
await rm(folder, { recursive: true });
console.log(`${recorded.length} requests`);
