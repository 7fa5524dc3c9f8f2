import { describe, expect, test } from 'vitest';
import { type ApiObject, decodeProtobuf, expired, openProtobufEnvelope } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { EncodedAnswer, WatchEvent } from './answer.ts';
import type { AnswerEncoder } from './answer-encoder.ts';
import { callOf, eventsOf, newEncoder, resourceOf, stored, textOf, types } from './testing/answer-fixture.ts';
import { bytesOf } from '../testing/memory-server.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const configMaps = resourceOf({ kind: 'ConfigMap' });

function configMap(name: string, revision: number): ApiObject {
  const metadata = {
    name,
    namespace: 'ns',
    uid: `00000000-0000-0000-0000-00000000000${revision}`,
    resourceVersion: String(revision),
  };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { text: '}"' } };
}

const a = stored(configMap('a', 1), configMaps);
const b = stored(configMap('b', 2), configMaps);
const initialEnd: WatchEvent = { type: 'BOOKMARK', resourceVersion: '885', endsInitialEvents: true };
const bookmark: WatchEvent = { type: 'BOOKMARK', resourceVersion: '886', endsInitialEvents: false };

interface Watch {
  readonly accept?: string;
  readonly resource?: Resource;
  readonly encoder?: AnswerEncoder;
  readonly query?: string;
}

function watch(batches: readonly (readonly WatchEvent[])[], options: Watch = {}): EncodedAnswer {
  const { accept = '', resource = configMaps, encoder = newEncoder(), query = '' } = options;
  const call = callOf(`/api/v1/things?watch=1${query}`, { accept });
  return encoder.encode({ type: 'watch', resource, events: eventsOf(...batches) }, call);
}

async function lines(answer: EncodedAnswer): Promise<readonly string[]> {
  return (await textOf(answer)).trimEnd().split('\n');
}

async function piecesOf({ body }: EncodedAnswer): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return pieces;
}

describe('a watch in JSON', () => {
  test('is one line per event, the same one by one and in batches', async () => {
    const events: readonly WatchEvent[] = [
      { type: 'ADDED', object: a },
      { type: 'MODIFIED', object: b },
      { type: 'DELETED', object: a },
    ];

    const oneByOne = await textOf(watch(events.map((event) => [event])));
    const together = await textOf(watch([events]));

    expect(together).toBe(oneByOne);
    expect(oneByOne.split('\n')[0]).toBe(`{"type":"ADDED","object":${JSON.stringify(a.object)}}`);
    expect(
      oneByOne
        .split('\n')
        .slice(1)
        .map((line) => line.slice(0, 20)),
    ).toEqual(['{"type":"MODIFIED","', '{"type":"DELETED","o', '']);
  });

  test.each([
    ['one by one', [[{ type: 'ADDED', object: a }], [{ type: 'MODIFIED', object: b }]]],
    [
      'together',
      [
        [
          { type: 'ADDED', object: a },
          { type: 'MODIFIED', object: b },
        ],
      ],
    ],
  ] as const)('sends the same bytes to all watchers, events %s', async (_, batches) => {
    const encoder = newEncoder();
    const first = await piecesOf(watch(batches, { encoder }));
    const second = await piecesOf(watch(batches, { encoder }));

    expect(first).toHaveLength(2);
    for (const [index, piece] of second.entries()) expect(piece).toBe(first[index]);
  });

  test('sends large batches in few pieces', async () => {
    const events = Array.from({ length: 2000 }, (): WatchEvent => ({ type: 'ADDED', object: a }));

    expect((await piecesOf(watch([events]))).length).toBeLessThan(10);
  });

  test('closes its source when the client leaves', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<readonly WatchEvent[]> {
      try {
        for (;;) yield [{ type: 'ADDED', object: a }];
      } finally {
        isClosed = true;
      }
    }
    const answer = newEncoder().encode(
      { type: 'watch', resource: configMaps, events: source() },
      callOf('/api/v1/c?watch=1'),
    );
    for await (const _ of answer.body as AsyncIterable<Uint8Array>) break;

    expect(isClosed).toBe(true);
  });
});

describe('BOOKMARK', () => {
  test('is an empty object of the kind, as Go prints it', async () => {
    const cronJobs = resourceOf({ group: 'batch', kind: 'CronJob' });

    expect(await lines(watch([[initialEnd, bookmark]], { resource: cronJobs }))).toEqual([
      '{"type":"BOOKMARK","object":{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"resourceVersion":"885",' +
        '"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"schedule":"","jobTemplate":{"metadata":{},"spec":' +
        '{"template":{"metadata":{},"spec":{"containers":null}}}}},"status":{}}}',
      '{"type":"BOOKMARK","object":{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"resourceVersion":"886"},"spec":' +
        '{"schedule":"","jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}}}}},"status":{}}}',
    ]);
  });

  test('of a custom resource is sorted by name', async () => {
    const gadgets = resourceOf({ group: 'ans.example.com', kind: 'Gadget', isCustom: true });

    expect(await lines(watch([[initialEnd]], { resource: gadgets }))).toEqual([
      '{"type":"BOOKMARK","object":{"apiVersion":"ans.example.com/v1","kind":"Gadget","metadata":{"annotations":' +
        '{"k8s.io/initial-events-end":"true"},"resourceVersion":"885"}}}',
    ]);
  });

  test('in protobuf is what kube-apiserver sends', async () => {
    const bytes = await bytesOf(watch([[initialEnd]], { accept: PROTOBUF }));

    expect(bytes.toString('hex')).toBe(
      '000000610a08424f4f4b4d41524b12550a536b3873000a0f0a02763112' +
        '09436f6e6669674d617012380a360a0012001a0022002a0032033838353800420062210a196b38732e696f2f696e697469616c2d6576656e74732d656e641204747275651a002200',
    );
  });
});

describe('ERROR', () => {
  const error: WatchEvent = { type: 'ERROR', status: expired('too old resource version: 1 (2)').status };
  const expected =
    '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",' +
    '"message":"too old resource version: 1 (2)","reason":"Expired","code":410}}';

  test('carries a Status', async () => {
    expect(await lines(watch([[error]]))).toEqual([expected]);
  });

  test('carries a Status in a watch of tables, too', async () => {
    expect(await lines(watch([[error]], { accept: TABLE }))).toEqual([expected]);
  });

  test('carries the envelope of a Status in protobuf', async () => {
    const bytes = await bytesOf(watch([[error]], { accept: PROTOBUF }));

    expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
    expect(bytes.subarray(4, 11).toString('latin1')).toBe('\n\x05ERROR');
    const { typeMeta, raw } = openProtobufEnvelope(bytes.subarray(bytes.indexOf('k8s')));
    expect(typeMeta).toEqual({ apiVersion: 'v1', kind: 'Status' });
    const status = decodeProtobuf(raw, types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.Status'), { typeMeta });
    expect(status).toEqual(error.status);
  });
});

describe('a watch of tables', () => {
  interface TableEvent {
    readonly type: string;
    readonly object: {
      readonly metadata: unknown;
      readonly columnDefinitions: unknown;
      readonly rows: readonly unknown[];
    };
  }

  async function tables(query: string): Promise<readonly TableEvent[]> {
    const batches = [
      [{ type: 'ADDED', object: a } as const],
      [{ type: 'ADDED', object: b } as const, initialEnd, bookmark],
    ];
    return (await lines(watch(batches, { accept: TABLE, query }))).map((line) => JSON.parse(line) as TableEvent);
  }

  test('names its columns once', async () => {
    const events = await tables('');

    expect(events.map(({ object }) => object.columnDefinitions !== null)).toEqual([true, false, false, false]);
    expect(events.map(({ object }) => object.metadata)).toEqual(
      ['1', '2', '885', '886'].map((resourceVersion) => ({ resourceVersion })),
    );
  });

  test('leaves objects out when requested, except the one that marks the initial state as complete', async () => {
    const events = await tables('&includeObject=None');

    expect(events.map(({ object }) => (object.rows[0] as { readonly object: unknown }).object)).toEqual([
      null,
      null,
      {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '885', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
      null,
    ]);
  });

  test('rejects invalid values of includeObject before it starts', async () => {
    const answer = watch([[{ type: 'ADDED', object: a }]], { accept: TABLE, query: '&includeObject=All' });

    expect(answer.code).toBe(400);
    expect(await textOf(answer)).toContain("must be 'Metadata', 'Object', 'None', or empty");
  });
});

describe('a watch of metadata', () => {
  test('contains only metadata', async () => {
    expect(await lines(watch([[{ type: 'MODIFIED', object: b }]], { accept: PARTIAL }))).toEqual([
      '{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":' +
        '{"name":"b","namespace":"ns","uid":"00000000-0000-0000-0000-000000000002","resourceVersion":"2"}}}',
    ]);
  });
});
