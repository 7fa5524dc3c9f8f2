import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ApiObject, notFound, StatusError } from '../../api/index.ts';
import type { Call } from '../request/call.ts';
import type { Column, Resource } from '../resource.ts';
import { AnswerEncoder } from './answer-encoder.ts';
import type { Answer, EncodedAnswer } from './answer.ts';
import { Negotiator } from './negotiator.ts';
import { callOf, eventsOf, resourceOf, stored, types } from './testing/answer-fixture.ts';
import { bytesOf } from '../testing/memory-server.ts';
import { discardLogger, VirtualClock } from '../../base/index.ts';

interface Recorded {
  readonly resourceVersion: string;
  readonly configMap: ApiObject;
  readonly gadget: ApiObject;
  readonly accepts: readonly string[];
  readonly targets: Readonly<Record<string, readonly (readonly [number, string, number])[]>>;
  readonly bodies: readonly string[];
}

const recorded = JSON.parse(
  readFileSync(new URL('testdata/negotiated-answers.json', import.meta.url), 'utf8'),
) as Recorded;

function column(name: string, type: Column['type'], value: Column['value']): Column {
  return { name, type, format: name === 'Name' ? 'name' : '', description: '', priority: 0, value };
}

const configMaps = resourceOf({
  kind: 'ConfigMap',
  columns: [
    column('Name', 'string', ({ metadata }) => metadata.name),
    column('Data', 'string', ({ data }) => Object.keys(data ?? {}).length),
    column('Age', 'string', () => 'AGE'),
  ],
});
const gadgets = resourceOf({
  group: 'ans.example.com',
  kind: 'Gadget',
  isCustom: true,
  columns: [column('Name', 'string', ({ metadata }) => metadata.name), column('Age', 'date', () => 'AGE')],
});

interface Target {
  readonly path: string;
  readonly resource: Resource;
  answer(): Answer;
}

function targetsOf(resource: Resource, object: ApiObject, path: string): readonly Target[] {
  const item = stored(object, resource);
  const { resourceVersion } = recorded;
  const missing = notFound({ group: resource.group, resource: resource.plural }, 'nope');
  return [
    { path: `${path}/a`, resource, answer: () => ({ type: 'object', code: 200, resource, object: item }) },
    { path, resource, answer: () => ({ type: 'list', resource, items: [item], metadata: { resourceVersion } }) },
    {
      path: `${path}?watch=1`,
      resource,
      answer: () => ({ type: 'watch', resource, events: eventsOf([{ type: 'ADDED', object: item }]) }),
    },
    { path: `${path}/nope`, resource, answer: () => ({ type: 'status', status: missing.status }) },
  ];
}

const targets: Readonly<Record<string, Target | undefined>> = Object.fromEntries(
  [
    ...targetsOf(configMaps, recorded.configMap, '/api/v1/namespaces/ans/configmaps'),
    ...targetsOf(gadgets, recorded.gadget, '/apis/ans.example.com/v1/namespaces/ans/gadgets'),
  ].map((target, index) => [Object.keys(recorded.targets)[index], target]),
);

const negotiator = new Negotiator();
const encoder = new AnswerEncoder({ types, clock: new VirtualClock(), log: discardLogger, negotiator });

/** Negotiates before the verb would run, then encodes, as the server does. */
function serve(call: Call, { resource, answer }: Target): EncodedAnswer {
  try {
    negotiator.negotiate(call, resource);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return encoder.encode({ type: 'status', status: error.status }, call);
  }
  return encoder.encode(answer(), call);
}

describe('AnswerEncoder writes the same bytes as kube-apiserver', () => {
  for (const [name, outcomes] of Object.entries(recorded.targets)) {
    for (const [index, [code, contentType, body]] of outcomes.entries()) {
      const accept = recorded.accepts[index] ?? '';
      test(`${name}, asked for as "${accept}"`, async () => {
        const target = targets[name] as Target;

        const answer = serve(callOf(target.path, { accept }), target);

        expect([answer.code, answer.headers['content-type']]).toEqual([code, contentType]);
        const bytes = await bytesOf(answer);
        const isBinary = contentType.includes('protobuf');
        expect(isBinary ? `base64:${bytes.toString('base64')}` : bytes.toString()).toBe(recorded.bodies[body]);
      });
    }
  }
});
