// The questions that both servers are asked.
import {
  DNSSEC_OK,
  type Edns,
  Flag,
  type Message,
  MessageEncoder,
  type Question,
  RecordClass,
  RecordType,
} from '../../../src/wire/dns/index.ts';
import { SERVICES } from './cluster-objects.ts';

/** A message that is sent, and what is special about it. */
export interface Asked {
  readonly label: string;
  readonly transport: 'udp' | 'tcp';
  /** In base64. */
  readonly packet: string;
}

const ZONE = 'cluster.local.';
const NAMED_TYPES = {
  ...{ A: RecordType.A, AAAA: RecordType.AAAA, SRV: RecordType.SRV, CNAME: RecordType.CNAME, TXT: RecordType.TXT },
  ...{ PTR: RecordType.PTR, NS: RecordType.NS, SOA: RecordType.SOA, MX: RecordType.MX, ANY: RecordType.ANY },
} as const;
const MORE_TYPES = {
  ...{
    HINFO: RecordType.HINFO,
    DS: RecordType.DS,
    HTTPS: RecordType.HTTPS,
    AXFR: RecordType.AXFR,
    IXFR: RecordType.IXFR,
  },
  ...{ DNSKEY: 48, CAA: 257, TYPE0: 0, TYPE65400: 65_400 },
} as const;

const encoder = new MessageEncoder();
const NO_RECORDS = { answers: [], authorities: [], additionals: [] };
const RD = Flag.RECURSION_DESIRED;

function message(question: Question, parts: { readonly flags?: number; readonly edns?: Edns } = {}): Message {
  return { id: 4711, flags: RD, questions: [question], ...NO_RECORDS, ...parts };
}

function asked(label: string, sent: Message | Uint8Array, transport: Asked['transport'] = 'udp'): Asked {
  const bytes = sent instanceof Uint8Array ? sent : encoder.encode(sent);
  return { label, transport, packet: Buffer.from(bytes).toString('base64') };
}

function edns(parts: Partial<Edns> = {}): Edns {
  return { udpBytes: 1232, extendedRcode: 0, version: 0, flags: 0, options: [], ...parts };
}

/** Names in all shapes that the specification has, and beside them. */
function names(): readonly string[] {
  const services = SERVICES.map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc`);
  return [
    ...services,
    ...['', 'svc', 'pod', 'default.svc', 'default.pod', 'shop.svc', 'bare.svc', 'missing.svc', 'missing.pod', 'x'],
    ...['a.svc.x', 'default', 'web.default', 'web', 'missing.default.svc', 'web.missing.svc', 'gone.shop.svc'],
    ...[
      '10-244-0-1.web.default.svc',
      'second.web.default.svc',
      '10-244-0-2.web.default.svc',
      '10-244-0-3.web.default.svc',
    ],
    ...['10-244-0-4.web.default.svc', '10-244-0-5.web.default.svc', '10-244-1-1.web.default.svc', 'x.web.default.svc'],
    ...['db-0.db.shop.svc', 'db-1.db.shop.svc', 'db-2.db.shop.svc', 'db-9.db.shop.svc', 'fd00-244--0.db.shop.svc'],
    ...[
      '10-244-0-10.db.shop.svc',
      '10-244-0-20.plain.shop.svc',
      '10-244-0-30.portless.shop.svc',
      'x.portless.shop.svc',
    ],
    ...['10-244-0-40.gone.shop.svc', 'x.ext.shop.svc', 'x.single.shop.svc'],
    ...['_http._tcp.web.default.svc', '_https._tcp.web.default.svc', '_quic._udp.web.default.svc'],
    ...['_http._udp.web.default.svc', '_nope._tcp.web.default.svc', 'http.tcp.web.default.svc', '_._.web.default.svc'],
    ...['_._tcp.web.default.svc', '_http._.web.default.svc', '_http._sctp.web.default.svc', '_tcp.web.default.svc'],
    ...['_pg._tcp.db.shop.svc', '_pg._tcp.db-0.db.shop.svc', '_http._tcp.ext.shop.svc', '_http._tcp.ext-in.shop.svc'],
    ...[
      '_._tcp.single.shop.svc',
      '_9000._tcp.single.shop.svc',
      '_._tcp.plain.shop.svc',
      '_http._tcp.portless.shop.svc',
    ],
    ...[
      '_http._tcp.dual.shop.svc',
      '_http._tcp.six.shop.svc',
      '_http._tcp.vacant.shop.svc',
      '_a._b._c.web.default.svc',
    ],
    ...['a.b.c.d.e.svc', 'a.b.c.d.e.f.g.svc', '*.default.svc', 'web.*.svc', '*.*.svc', 'any.default.svc', '*'],
    ...['1-2-3-4.default.pod', '1-2-3-4.missing.pod', '1-2-3-4.pod', '256-2-3-4.default.pod', '01-2-3-4.default.pod'],
    ...['1-2-3.default.pod', '1-2-3-4-5.default.pod', 'fd00-244--9.default.pod', '--1.default.pod', '-.default.pod'],
    ...['--ffff-102-304.default.pod', 'x.default.pod', 'x.1-2-3-4.default.pod', '_a._b.1-2-3-4.default.pod'],
    ...['a.b.c.1-2-3-4.default.pod', '1-2--3-4.default.pod', 'web.default.pod'],
    ...['dns-version', 'x.dns-version', 'ns.dns', 'dns', 'apex.dns', 'x.ns.dns', 'hostmaster'],
    ...['web\\.default.svc', 'web.default.svc.cluster.local', 'web.default.svc.shop.svc', 'kubernetes.default.svc'],
    ...['www.example.org.shop.svc', 'web.default.svc.cluster', '\\000.default.svc', '\\255\\255.default.svc'],
  ].map((name) => (name === '' ? ZONE : `${name}.${ZONE}`));
}

function reverseNames(): readonly string[] {
  const of = (address: string): string => `${address.split('.').toReversed().join('.')}.in-addr.arpa.`;
  const six = (hex: string): string => `${[...hex].toReversed().join('.')}.ip6.arpa.`;
  return [
    ...['10.96.0.1', '10.96.1.1', '10.96.1.2', '10.96.1.3', '10.96.1.5', '10.96.1.6', '10.96.0.10'].map(of),
    ...['10.244.0.1', '10.244.0.2', '10.244.0.3', '10.244.0.4', '10.244.0.5', '10.244.1.1', '10.244.0.10'].map(of),
    ...['10.244.0.12', '10.244.0.20', '10.244.0.30', '10.244.0.40', '10.244.9.7', '10.10.0.2', '8.8.8.8'].map(of),
    ...['10.96', '10', '10.96.1.1.1', '10.96.1.256', '10.96.1.01', 'a.b.c.d'].map(of),
    ...[
      'in-addr.arpa.',
      'ip6.arpa.',
      'svc.in-addr.arpa.',
      'default.svc.in-addr.arpa.',
      'web.default.svc.in-addr.arpa.',
    ],
    ...['dns-version.in-addr.arpa.', 'ns.dns.in-addr.arpa.', 'ns.dns.ip6.arpa.', '1-2-3-4.default.pod.in-addr.arpa.'],
    six('fd0000100096000000000000000001030'.slice(0, 32)),
    six('fd000010009600000000000000000103'),
    six('fd000010009600000000000000000104'),
    six('fd000244000000000000000000000010'),
    six('fd000244000000000000000000000000'),
    six('fd000244000000000000000000000099'),
    six('00000000000000000000ffff0a600101'),
    six('fd0002440000'),
    `x.${six('fd000010009600000000000000000103')}`,
  ];
}

/** More than 500 questions of all sorts. */
export function questions(): readonly Asked[] {
  const list: Asked[] = [];
  const add = (name: string, type: number, label: string, parts: Parameters<typeof message>[1] = {}): void =>
    void list.push(asked(`${name} ${label}`, message({ name, type, class: RecordClass.IN }, parts)));
  for (const name of names()) {
    for (const [label, type] of Object.entries(NAMED_TYPES)) add(name, type, label);
  }
  for (const name of reverseNames()) {
    for (const label of ['PTR', 'A', 'SOA', 'TXT', 'NS', 'ANY'] as const) add(name, NAMED_TYPES[label], label);
  }
  const some = [
    'web.default.svc',
    'db.shop.svc',
    'ext.shop.svc',
    'missing.default.svc',
    'svc',
    'dns-version',
    'ns.dns',
  ];
  for (const base of some) {
    const name = `${base}.${ZONE}`;
    for (const [label, type] of Object.entries(MORE_TYPES)) add(name, type, label);
    variants(name, add);
  }
  return [...list, ...mixedCase(), ...largeAnswers(), ...otherClasses(), ...otherZones(), ...oddMessages()];
}

/** Flags and EDNS. */
function variants(
  name: string,
  add: (name: string, type: number, label: string, parts: Parameters<typeof message>[1]) => void,
): void {
  const option = (code: number, text: string) => ({ code, data: Buffer.from(text) });
  const parts: Readonly<Record<string, Parameters<typeof message>[1]>> = {
    'without RD': { flags: 0 },
    'with CD and AD': { flags: RD | Flag.CHECKING_DISABLED | Flag.AUTHENTIC_DATA },
    'with AA and RA': { flags: RD | Flag.AUTHORITATIVE | Flag.RECURSION_AVAILABLE },
    EDNS: { edns: edns() },
    'EDNS 4096': { edns: edns({ udpBytes: 4096 }) },
    'EDNS 100': { edns: edns({ udpBytes: 100 }) },
    'EDNS with DO': { edns: edns({ flags: DNSSEC_OK }) },
    'EDNS with reserved flags': { edns: edns({ flags: 0x7fff }) },
    'EDNS with options': {
      edns: edns({
        options: [
          option(3, ''),
          option(10, '8 bytes!'),
          option(8, '\0\x01\0\0'),
          option(65_001, 'own'),
          option(12, '\0\0\0'),
        ],
      }),
    },
    'EDNS version 1': { edns: edns({ version: 1 }) },
  };
  for (const [label, part] of Object.entries(parts)) {
    add(name, RecordType.A, `A ${label}`, part);
    add(name, RecordType.SRV, `SRV ${label}`, part);
  }
}

function mixedCase(): readonly Asked[] {
  const shapes = [
    ...['WEB.default.svc.cluster.local.', 'web.Default.SVC.Cluster.Local.', 'DB-0.db.SHOP.svc.CLUSTER.LOCAL.'],
    ...[
      '_HTTP._TCP.web.default.svc.cluster.LOCAL.',
      'EXT-in.shop.svc.cluster.local.',
      'Missing.default.svc.CLUSTER.local.',
    ],
    ...['1-2-3-4.DEFAULT.POD.cluster.local.', 'FD00-244--9.default.pod.cluster.local.', 'DNS-VERSION.cluster.local.'],
    ...[
      'CLUSTER.LOCAL.',
      'SVC.cluster.local.',
      'NS.DNS.cluster.local.',
      'ns.dns.CLUSTER.local.',
      '1.1.96.10.IN-ADDR.ARPA.',
    ],
  ];
  return shapes.flatMap((name) =>
    (['A', 'AAAA', 'SRV', 'TXT', 'PTR', 'SOA', 'NS'] as const).map((label) =>
      asked(`${name} ${label}`, message({ name, type: NAMED_TYPES[label], class: RecordClass.IN })),
    ),
  );
}

/** Answers that do not fit, and those that do over TCP. */
function largeAnswers(): readonly Asked[] {
  const sizes = [512, 513, 700, 1232, 1480, 1500, 4096, 65_535];
  return (['A', 'SRV', 'ANY'] as const).flatMap((label) => {
    const question = { name: `large.shop.svc.${ZONE}`, type: NAMED_TYPES[label], class: RecordClass.IN };
    return [
      asked(`large ${label}`, message(question)),
      asked(`large ${label} TCP`, message(question), 'tcp'),
      asked(`large ${label} TCP with EDNS`, message(question, { edns: edns() }), 'tcp'),
      ...sizes.map((udpBytes) =>
        asked(`large ${label} EDNS ${udpBytes}`, message(question, { edns: edns({ udpBytes }) })),
      ),
    ];
  });
}

function otherClasses(): readonly Asked[] {
  const name = `web.default.svc.${ZONE}`;
  return [2, 3, 4, 254, 255, 0].flatMap((recordClass) => [
    asked(`class ${recordClass}`, message({ name, type: RecordType.A, class: recordClass })),
    asked(`class ${recordClass} EDNS`, message({ name, type: RecordType.A, class: recordClass }, { edns: edns() })),
    asked(
      `version.bind class ${recordClass}`,
      message({ name: 'version.bind.', type: RecordType.TXT, class: recordClass }),
    ),
  ]);
}

/** Names of no zone. */
function otherZones(): readonly Asked[] {
  return ['www.example.org.', '.', 'local.', 'xcluster.local.', 'cluster.local.example.org.'].flatMap((name) =>
    (['A', 'NS'] as const).flatMap((label) => [
      asked(`${name} ${label}`, message({ name, type: NAMED_TYPES[label], class: RecordClass.IN })),
      asked(
        `${name} ${label} EDNS`,
        message({ name, type: NAMED_TYPES[label], class: RecordClass.IN }, { edns: edns() }),
      ),
    ]),
  );
}

/** Messages that are no plain questions, and broken ones. */
function oddMessages(): readonly Asked[] {
  const question = { name: `web.default.svc.${ZONE}`, type: RecordType.A, class: RecordClass.IN };
  const record = { ...question, ttl: 5, data: Uint8Array.of(1, 2, 3, 4) };
  const plain = message(question);
  const bytes = encoder.encode(plain);
  const opcode = (number: number): Message => ({ ...plain, flags: RD | (number << 11) });
  return [
    asked('no question', { ...plain, questions: [] }),
    asked('two questions', { ...plain, questions: [question, question] }),
    asked('an answer in the question', { ...plain, answers: [record] }),
    asked('two answers in the question', { ...plain, answers: [record, record] }),
    asked('two authorities in the question', { ...plain, authorities: [record, record] }),
    asked('three additionals in the question', { ...plain, additionals: [record, record, record] }),
    asked('IQUERY', opcode(1)),
    asked('STATUS', opcode(2)),
    asked('UPDATE', opcode(5)),
    asked('opcode 15', opcode(15)),
    asked('a response', { ...plain, flags: Flag.RESPONSE }),
    asked('trailing bytes', Buffer.concat([bytes, Buffer.from('more')])),
    asked('cut in the name', bytes.subarray(0, 20)),
    asked('cut in the type', bytes.subarray(0, -3)),
    asked('a pointer to itself', Buffer.concat([bytes.subarray(0, 12), Buffer.from('c00c00010001', 'hex')])),
    asked('a header alone', bytes.subarray(0, 12)),
    asked('less than a header', bytes.subarray(0, 11)),
  ];
}
