// Sends the bodies of src/api/json/testdata and src/api/yaml/testdata to a real kube-apiserver again and records its answers.
//   npm run vectors:bodies [-- --check]
// An entry is kind, apiVersion, body, code, message: a new one needs the first three written by hand. With --check nothing is
// written: it only reports which answers differ from the recorded ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { TestApi } from '../../../src/resources/testing/test-api.ts';
import { KubeClient } from '../apply/kube-client.ts';

type Body = string | { readonly repeat: string; readonly times: number };
type Answer = readonly [kind: string, apiVersion: string, body: Body, code: number, message: string];

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const source = join(import.meta.dirname, '..', '..', '..', 'src', 'api');
const FILES = [
  { path: join(source, 'json', 'testdata', 'decode-answers.json'), type: 'application/json' },
  { path: join(source, 'yaml', 'testdata', 'yaml-answers.json'), type: 'application/yaml' },
];

const reason = whyNoKube();
if (reason !== undefined) {
  console.error(`Cannot record: ${reason}`);
  process.exit(1);
}
const api = new TestApi(); // knows where objects of a kind belong
await using kube = await startKube();
const client = new KubeClient(kube.kubeconfig);
await client.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'kinds' } } });
let other = 0;
for (const { path, type } of FILES) {
  const answers = JSON.parse(readFileSync(path, 'utf8')) as Answer[];
  const fresh: Answer[] = [];
  for (const [kind, apiVersion, body, ...before] of answers) {
    const text = typeof body === 'string' ? body : body.repeat.repeat(body.times);
    const collection = api.collectionOf({ kind, apiVersion });
    const sent = await client.send('POST', `${collection}?fieldValidation=Strict&dryRun=All`, { body: text, type });
    const message = sent.code < 300 ? '' : String(sent.body['message'] ?? '');
    fresh.push([kind, apiVersion, body, sent.code, message]);
    if (sent.code === before[0] && message === before[1]) continue;
    other += 1;
    console.log(
      `${JSON.stringify(body).slice(0, 200)}\n  before ${JSON.stringify(before)}\n  now    ${sent.code} ${message}`,
    );
  }
  if (!values.check) writeFileSync(path, `[\n${fresh.map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`);
}
client.close();
console.log(`${other} answers are not as recorded${values.check ? '' : ' before'}`);
process.exitCode = values.check && other > 0 ? 1 : 0;
