// Sends the requests of src/resources/testdata to a real kube-apiserver again and records what it answers now.
//   npm run vectors:resources [-- --check] [--file REGEX]
// Every file gets its own server, since some requests need an empty one. With --check nothing is written: it only reports
// which answers are not the recorded ones. A new entry needs its input (or `send` and a `code`, such as 0) written by hand first.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { TestApi } from '../../../src/resources/testing/test-api.ts';
import { KubeClient, type Reply } from '../apply/kube-client.ts';
import { answerTo, type Entry, formatOf } from './entry.ts';

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, file: { type: 'string', default: '' } },
});
const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'resources', 'testdata');
const NAMESPACES = ['kinds'];
/** The recordings are of what the kinds themselves do. */
const FLAGS = [
  '--disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds,Priority,LimitRanger,ResourceQuota,DefaultStorageClass,' +
    'DefaultIngressClass,StorageObjectInUseProtection,TaintNodesByCondition,RuntimeClass,PodSecurity,PersistentVolumeClaimResize,' +
    'CertificateApproval,CertificateSigning,CertificateSubjectRestriction,PodTopologyLabels',
  '--runtime-config=api/all=true',
];

const reason = whyNoKube();
if (reason !== undefined) {
  console.error(`Cannot record: ${reason}`);
  process.exit(1);
}
const api = new TestApi(); // knows where objects of a kind belong
let other = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml') && new RegExp(values.file).test(name))) {
  if (formatOf(file) !== undefined) other += await record(file);
}
console.log(`${other} answers are not as recorded${values.check ? '' : ' before'}`);
process.exitCode = values.check && other > 0 ? 1 : 0;

async function record(file: string): Promise<number> {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const entries = load(text) as Entry[];
  await using kube = await startKube({ apiserverFlags: FLAGS });
  const client = new KubeClient(kube.kubeconfig);
  for (const name of NAMESPACES) await client.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
  const send = (method: string, to: string, options: object = {}): Promise<Reply> =>
    client.send(method, to, { ...options, userAgent: 'test' });
  const fresh: Entry[] = [];
  for (const entry of entries)
    fresh.push(await answerTo(entry, { file, send, collectionOf: (of) => api.collectionOf(of) }));
  client.close();
  const changed = fresh.filter((entry, index) => !isDeepStrictEqual(entry, entries[index]));
  for (const entry of changed) console.log(`${file}: ${JSON.stringify(entry).slice(-600)}`);
  const head = text.split('\n').filter((line) => line.startsWith('#'));
  const lines = fresh.map((entry) => `- ${JSON.stringify(entry)}`);
  if (!values.check && changed.length > 0) writeFileSync(path, `${[...head, ...lines].join('\n')}\n`);
  console.log(`${file}: ${entries.length} entries, ${changed.length} other than recorded`);
  return changed.length;
}
