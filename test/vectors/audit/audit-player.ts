import { request } from 'node:https';
import { type AuditCase, cases } from './cases.ts';

type Json = Readonly<Record<string, unknown>>;

/** The events of one request, without what differs from run to run. */
export interface RecordedEvents {
  readonly name: string;
  readonly events: readonly Json[];
}

/** Sends all requests, one after the other. */
export async function playCases(
  url: string,
  pause: (one: AuditCase) => Promise<void> = async () => undefined,
): Promise<void> {
  for (const one of cases) {
    await send(url, one);
    await pause(one);
  }
}

async function send(url: string, { name, method, path, headers, body }: AuditCase): Promise<void> {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  await new Promise<void>((done, fail) => {
    const call = request(
      new URL(path, url),
      {
        method,
        rejectUnauthorized: false,
        agent: false,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          'user-agent': 'vectors',
          'audit-id': `case-${name}`,
          ...headers,
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', done);
        answer.on('error', fail);
      },
    );
    call.on('error', fail);
    call.end(text);
  });
}

/** The events of the cases among lines of an audit log, by case. */
export function eventsOf(log: string): readonly RecordedEvents[] {
  const events = log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
  return cases.map(({ name }) => ({
    name,
    events: events.filter((event) => event['auditID'] === `case-${name}`).map((event) => masked(event) as Json),
  }));
}

/** Members whose values depend on the run. */
const MASKED = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'requestReceivedTimestamp',
  'stageTimestamp',
  'time',
  'apiserver.latency.k8s.io/total',
  'authentication.kubernetes.io/issued-credential-id',
]);

/** What columns mean is said in words of our own; pod security has vectors of its own. */
const LEFT_OUT = new Set(['description', 'pod-security.kubernetes.io/enforce-policy']);

function masked(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !LEFT_OUT.has(key))
        .map(([key, member]) => [key, masked(member, key)]),
    );
  if (typeof value !== 'string' || value === '') return value;
  if (MASKED.has(name)) return name === 'uid' && value.length < 30 ? value : '*';
  if (/^\d+s$/.test(value)) return 'a moment'; // the age of an object in a Table
  return value.replaceAll(/\bg-[a-z0-9]{5}\b/g, 'g-*****').replaceAll(/127\.0\.0\.1|::1/g, 'local');
}
