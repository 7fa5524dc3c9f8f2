// Sends the definitions of the corpus to a real kube-apiserver and records what it answers.
//   npm run vectors:definitions [-- --check]
// With --check nothing is written: it only reports which answers differ from the recorded ones.
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import { KubeClient } from '../apply/kube-client.ts';
import { type Answer, askAbout, type AskedServer, unordered } from './answer.ts';
import { corpus } from './corpus.ts';
import { ANSWERS, packed, readAnswers } from './recorded.ts';

/** How often every question is asked, to find out what comes in any order. */
const TIMES = 4;
const FOLDER = '/registry/apiextensions.k8s.io/customresourcedefinitions';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const reason = whyNoKube();
if (reason !== undefined) {
  console.error(`Cannot record: ${reason}`);
  process.exit(1);
}
await using kube = await startKube();
const client = new KubeClient(kube.kubeconfig);

const server: AskedServer = {
  send: (method, path, body) => client.send(method, path, { body }),
  async plant(name, definition) {
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const key = encoded(`${FOLDER}/${name}`);
    const [action, body] =
      definition === undefined
        ? ['deleterange', { key }]
        : ['put', { key, value: encoded(JSON.stringify(definition)) }];
    await fetch(`${kube.etcdUrl}/v3/kv/${action}`, { method: 'POST', body: JSON.stringify(body) });
  },
};

const before = new Map(readAnswers().map((one) => [one.name, one]));
const answers: Answer[] = [];
for (const one of corpus) {
  const found: Answer[] = [];
  for (let time = 0; time < TIMES; time += 1) found.push(await askAbout(one, server));
  const [first] = found as [Answer, ...Answer[]];
  const answer = found.every((other) => isDeepStrictEqual(other, first)) ? first : unordered(first);
  answers.push(answer);
  if (isDeepStrictEqual(answer, before.get(one.name))) continue;
  if (answer.isUnordered === true && before.get(one.name)?.isUnordered === undefined)
    console.log(`${one.name}: comes in any order`);
  console.log(`${one.name}: ${answer.code} ${JSON.stringify(answer.body.message ?? '').slice(0, 300)}`);
}
client.close();
if (!values.check) writeFileSync(ANSWERS, packed(answers));
console.log(`${answers.length} answers`);
