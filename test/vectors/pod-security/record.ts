// Records what a real kube-apiserver says of the pods that k8s.io/pod-security-admission publishes for its levels and versions.
//   node scripts/run.mjs test/vectors/pod-security/record.ts
import { join } from 'node:path';
import { startKube } from '../../../peers/index.ts';
import { KubeClient } from '../apply/kube-client.ts';
import { writeVectors } from '../apply/vector.ts';
import { fixturesFolder, namespaceOf, readFixtures, type Send, type Verdict, verdictOn } from './fixtures.ts';

const found = fixturesFolder();
if ('reason' in found) throw new Error(`Cannot record: ${found.reason}`);
const fixtures = readFixtures(found.folder);
await using kube = await startKube({ apiserverFlags: ['--disable-admission-plugins=ServiceAccount'] });
const client = new KubeClient(kube.kubeconfig);
const send: Send = (path, body) => client.send('POST', path, { body });
const namespaces = new Map(fixtures.map(namespaceOf).map((namespace) => [namespace.metadata.name, namespace]));
for (const namespace of namespaces.values()) await send('/api/v1/namespaces', namespace);
const verdicts: Verdict[] = [];
for (const fixture of fixtures) verdicts.push(await verdictOn(fixture, send));
client.close();
writeVectors(join(import.meta.dirname, 'recorded.jsonl.gz'), verdicts);
console.log(`${verdicts.length} fixtures`);
