import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { ADMIN_TOKEN } from '../../peers/index.ts';

const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const PATH = '/api/v1/namespaces/default/configmaps';

export interface FanOut {
  readonly watchers: number;
  readonly events: number;
  /** Watchers on one connection; 90 unless given. */
  readonly perSession?: number;
}

/** One event to many watchers, a number of them on each connection: milliseconds from the write's start until the last watcher has it. */
export async function fanOut(url: string, { watchers, events, perSession = 90 }: FanOut): Promise<number[]> {
  const sessions = Array.from({ length: Math.ceil(watchers / perSession) }, () =>
    connect(url, { rejectUnauthorized: false }),
  );
  const fan = `out-${performance.now().toFixed(0)}`; // others may have sent events to this server before
  const counts = new Float64Array(watchers);
  let onReach = (): void => undefined;
  let reached = 0;
  let wanted = 1;
  for (let index = 0; index < watchers; index++) {
    const session = sessions[Math.floor(index / perSession)] as ClientHttp2Session;
    const stream = session.request({ ':path': `${PATH}?watch=true&labelSelector=fan%3D${fan}`, ...headers });
    stream.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) counts[index] = (counts[index] ?? 0) + 1;
      if (counts[index] === wanted) {
        reached += 1;
        if (reached === watchers) onReach();
      }
    });
    await new Promise<void>((resolve, reject) => {
      stream.once('response', () => resolve());
      stream.once('error', reject);
    });
  }
  const times: number[] = [];
  const writer = connect(url, { rejectUnauthorized: false });
  for (let event = 1; event <= events; event++) {
    wanted = event;
    reached = 0;
    const all = new Promise<void>((resolve) => (onReach = resolve));
    const started = performance.now();
    await post(writer, event, fan);
    await all;
    times.push(performance.now() - started);
  }
  for (const session of [...sessions, writer]) session.destroy();
  return times.sort((a, b) => a - b);
}

function post(session: ClientHttp2Session, event: number, fan: string): Promise<void> {
  const body = JSON.stringify({
    metadata: { name: `fan-${process.pid}-${performance.now().toFixed(0)}-${event}`, labels: { fan } },
    data: { text: 'x'.repeat(1200) },
  });
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':path': PATH,
      ':method': 'POST',
      'content-type': 'application/json',
      ...headers,
    });
    stream.once('response', (answer) =>
      answer[':status'] === 201 ? resolve() : reject(new Error(`POST: ${String(answer[':status'])}`)),
    );
    stream.once('error', reject);
    stream.resume();
    stream.end(body);
  });
}
