import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';

/** The placeholder for an etcd: a folder in which the API server keeps its own store. */
export interface EtcdPlace {
  readonly dataDir: string;
  /** Whether writes wait for the disk. */
  readonly syncs: boolean;
}

const PATH = '/keelson/place';
const MAX_ANSWER_BYTES = 8192;
const ASK_MS = 5000;

/** Answers at the URLs as a healthy etcd does, and gives the folder to Keelson's API server. */
export async function holdPlace(urls: readonly URL[], place: EtcdPlace): Promise<AsyncDisposable> {
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    for (const server of servers) server.close().closeAllConnections();
  };
  try {
    for (const url of urls) servers.push(await listenAt(url, place));
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

async function listenAt(url: URL, place: EtcdPlace): Promise<Server> {
  const server = createServer(({ url: path = '' }, response) => {
    const [code, text] = answerTo(path.split('?', 1)[0] ?? '', place);
    response.writeHead(code, { 'content-type': text.startsWith('{') ? 'application/json' : 'text/plain' });
    response.end(text);
  });
  server.listen(Number(url.port === '' ? 80 : url.port), url.hostname.replace(/^\[(.*)\]$/, '$1'));
  await once(server, 'listening');
  return server;
}

function answerTo(path: string, place: EtcdPlace): readonly [number, string] {
  switch (path) {
    case '/health':
      return [200, '{"health":"true","reason":""}'];
    case '/livez':
    case '/readyz':
      return [200, 'ok\n'];
    case PATH:
      return [200, JSON.stringify(place)];
    default:
      return [501, "This holds the place of etcd for Keelson's kube-apiserver, which keeps objects itself\n"];
  }
}

/** The placeholder at an endpoint; undefined when a real etcd, or nothing, answers there. */
export function placeAt(endpoint: string, signal: AbortSignal): Promise<EtcdPlace | undefined> {
  if (!endpoint.startsWith('http://') || !URL.canParse(endpoint)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const none = (): void => resolve(undefined); // connecting to etcd later reports the error
    const asked = request(new URL(PATH, endpoint), { signal, agent: false, timeout: ASK_MS }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        none();
        return;
      }
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MAX_ANSWER_BYTES) asked.destroy();
      });
      response.on('end', () => resolve(parsePlace(text)));
      response.on('error', none);
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', none);
    asked.on('close', none);
    asked.end();
  });
}

function parsePlace(text: string): EtcdPlace | undefined {
  try {
    const { dataDir, syncs } = JSON.parse(text) as Partial<EtcdPlace>;
    return typeof dataDir === 'string' ? { dataDir, syncs: syncs !== false } : undefined;
  } catch {
    return undefined; // not our placeholder
  }
}
