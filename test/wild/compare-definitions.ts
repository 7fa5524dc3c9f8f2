import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../vectors/apply/kube-client.ts';
import type { Definition, Json } from './definition.ts';
import { type Difference, differencesOf } from '../support/differences.ts';
import { normalDefinition, normalDiscovery, normalDocument, normalReply } from './normal-form.ts';

/** The real server and ours. */
export interface Servers {
  readonly real: KubeClient;
  readonly ours: KubeClient;
}

export const COLLECTION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PATIENCE_MS = 60_000;

/** Installs definitions on both and compares answers, the stored definitions, discovery and OpenAPI v3. */
export async function compareDefinitions(definitions: readonly Definition[], servers: Servers): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const definition of definitions) {
    const [real, ours] = await both(servers, (server) => server.send('POST', COLLECTION, { body: definition }));
    const withoutBody = ({ body, ...rest }: Json): Json => ({
      ...rest,
      ...(rest['code'] === 201 ? {} : { body: body as unknown }),
    });
    found.push(
      ...differencesOf(
        withoutBody(normalReply(real)),
        withoutBody(normalReply(ours)),
        `POST ${definition.metadata.name} `,
      ),
    );
  }
  for (const { metadata } of definitions) {
    const [real, ours] = await both(servers, (server) => established(server, metadata.name));
    found.push(...differencesOf(normalDefinition(real), normalDefinition(ours), `definition ${metadata.name} `));
  }
  for (const { path, isOwn } of documentsOf(definitions)) {
    const [real, ours] = await both(servers, (server) => served(server, path, definitions));
    const form = (body: Json): Json =>
      path.startsWith('/openapi') ? normalDocument(body, isOwn) : normalDiscovery(body);
    found.push(...differencesOf(form(real), form(ours), `GET ${path} `));
  }
  return found;
}

/** Waits for the whole OpenAPI v2 document of both and compares what it says of these groups. */
export async function compareOpenApiV2(definitions: readonly Definition[], servers: Servers): Promise<Difference[]> {
  const groups = new Set(definitions.map(({ spec }) => spec.group));
  const isOwn = ownSchemas(definitions);
  const [real, ours] = await both(servers, async (server) => {
    let document: Json = {};
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(1000)) {
      const { body } = await server.send('GET', '/openapi/v2');
      const isWhole = JSON.stringify(body) === JSON.stringify(document);
      document = body;
      if (isWhole && definitions.every(({ spec }) => pathOf(document, spec.group) !== undefined)) break;
    }
    const { paths, schemas } = normalDocument(document, isOwn);
    const inGroups = (path: string): boolean => groups.has(path.split('/')[2] ?? '');
    return {
      paths: Object.fromEntries(Object.entries(paths as Json).filter(([path]) => inGroups(path))),
      schemas: Object.fromEntries(Object.entries(schemas as Json).filter(([name]) => isOwn(name))),
    };
  });
  return differencesOf(real, ours, 'GET /openapi/v2 ');
}

function pathOf({ paths = {} }: Json, group: string): string | undefined {
  return Object.keys(paths as Json).find((path) => path.startsWith(`/apis/${group}/`));
}

function documentsOf(
  definitions: readonly Definition[],
): { readonly path: string; readonly isOwn: (name: string) => boolean }[] {
  const isOwn = ownSchemas(definitions);
  const served = definitions.flatMap(({ spec }) =>
    spec.versions.filter((version) => version.served).map(({ name }) => `/apis/${spec.group}/${name}`),
  );
  const groups = definitions.map(({ spec }) => `/apis/${spec.group}`);
  const paths = new Set([...groups, ...served, ...served.map((path) => `/openapi/v3${path}`)]);
  return [...paths].map((path) => ({ path, isOwn }));
}

/** Schemas are named by the group turned round: `io.cert-manager.v1.Issuer`. */
function ownSchemas(definitions: readonly Definition[]): (name: string) => boolean {
  const prefixes = new Set(definitions.map(({ spec }) => `${spec.group.split('.').toReversed().join('.')}.`));
  return (name) => [...prefixes].some((prefix) => name.startsWith(prefix)) && !name.startsWith('io.k8s.apimachinery.');
}

async function established(server: KubeClient, name: string): Promise<Json> {
  let body: Json = {};
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(50)) {
    ({ body } = await server.send('GET', `${COLLECTION}/${name}`));
    const conditions = (body['status']?.conditions ?? []) as Json[];
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return body;
    if (body['kind'] === 'Status') return body;
  }
  return body;
}

/** A document once it has every kind of these definitions in it that it should have; the real server takes its time. */
async function served(server: KubeClient, path: string, definitions: readonly Definition[]): Promise<Json> {
  const [group, version] = path.split('/').slice(-2);
  const kinds = definitions.filter(
    ({ spec }) => spec.group === group && spec.versions.some(({ name, served: is }) => is && name === version),
  );
  let body: Json = {};
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(100)) {
    const reply = await server.send('GET', path);
    ({ body } = reply);
    const paths = Object.keys((body['paths'] ?? {}) as Json);
    const names = ((body['resources'] ?? []) as Json[]).map(({ name }) => `/${name}`);
    const isThere = kinds.every(({ spec }) =>
      [...paths, ...names].some((one) => one.endsWith(`/${spec.names.plural}`)),
    );
    if (reply.code === 200 && isThere) break;
  }
  return body;
}

export async function both<T>({ real, ours }: Servers, ask: (server: KubeClient) => Promise<T>): Promise<[T, T]> {
  return await Promise.all([ask(real), ask(ours)]);
}
